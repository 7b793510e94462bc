"""One-offs fire once, decided by the ledger: over restarts, with two beats, and with Redis flushed in between."""

from __future__ import annotations

import pytest
from django_celery_beat.models import ClockedSchedule, PeriodicTask

from schedules.ledger import Ledger
from schedules.models import Slot, SlotState
from schedules.publisher import Order
from schedules.redis import client
from schedules.stamp import slot_id
from tests.support.passes import times
from tests.support.rows_beat import RowsBeat, cron_row, saved_row
from tests.support.rules import utc, utcs
from tests.support.schedules import NINE, every, seconds

pytestmark = pytest.mark.django_db

AT = NINE + seconds(60)


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def _two_clocked() -> None:
    clocked = ClockedSchedule.objects.create(clocked_time=AT)
    for name in ("a", "b"):
        saved_row(name, NINE, clocked=clocked, one_off=True)


def _enabled() -> list[str]:
    return sorted(PeriodicTask.objects.filter(enabled=True).values_list("name", flat=True))


@pytest.mark.parametrize("redis_flushed", [False, True])
def test_b20_a_beat_restarted_soon_after_repeats_none(sent: list[Order], redis_flushed: bool) -> None:
    _two_clocked()
    RowsBeat(sent).run(AT - seconds(1), AT + seconds(2))
    if redis_flushed:
        client().flushdb()
    RowsBeat(sent, "restarted").run(AT + seconds(5), AT + seconds(60))
    assert sorted(each.stamp.slot_id for each in sent) == [slot_id("a", AT), slot_id("b", AT)]
    assert _enabled() == []


def test_b20_of_two_beats_one_is_killed(sent: list[Order]) -> None:
    _two_clocked()
    killed, survivor = RowsBeat(sent, "killed"), RowsBeat(sent, "survivor")
    for beat in (killed, survivor):
        beat.look(AT - seconds(1))
    killed.look(AT)
    client().flushdb()
    survivor.run(AT + seconds(1), AT + seconds(60))
    RowsBeat(sent, "restarted").run(AT + seconds(2), AT + seconds(60))
    assert sorted(each.stamp.slot_id for each in sent) == [slot_id("a", AT), slot_id("b", AT)]
    assert _enabled() == []


def test_a_beat_killed_before_it_could_count_leaves_a_slot_that_ends_the_one_off(sent: list[Order]) -> None:
    """The worker has made the ledger's row; the schedule's own row still says that it is on."""
    _two_clocked()
    RowsBeat(sent).run(AT - seconds(1), AT + seconds(2))
    PeriodicTask.objects.update(enabled=True, total_run_count=0, last_run_at=None)
    client().flushdb()
    RowsBeat(sent, "restarted").run(AT + seconds(5), AT + seconds(60))
    assert len(sent) == 2
    assert _enabled() == []


def test_a_one_off_of_a_recurring_rule_fires_once_and_not_again_after_a_restart(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, one_off=True)
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(35))
    PeriodicTask.objects.update(enabled=True)
    client().flushdb()
    RowsBeat(sent, "restarted").run(NINE + seconds(36), NINE + seconds(90))
    assert times(sent) == [NINE + seconds(10)]
    assert _enabled() == []


def test_a_one_off_that_was_missed_ends_as_well(sent: list[Order]) -> None:
    saved_row(clocked=ClockedSchedule.objects.create(clocked_time=NINE), one_off=True, options={"catch_up": "skip"})
    RowsBeat(sent).run(NINE + seconds(60), NINE + seconds(61))
    assert sent == []
    assert Slot.objects.get().state == SlotState.SKIPPED
    assert _enabled() == []


def test_a_one_off_missed_by_an_hour_still_goes_late(sent: list[Order]) -> None:
    saved_row(clocked=ClockedSchedule.objects.create(clocked_time=NINE), one_off=True)
    RowsBeat(sent).run(NINE + seconds(3600), NINE + seconds(3700))
    assert times(sent) == [NINE]
    assert _enabled() == []


def test_a_one_off_set_to_another_time_and_enabled_again_fires_then(sent: list[Order]) -> None:
    row = saved_row(saved_at=NINE, clocked=ClockedSchedule.objects.create(clocked_time=AT), one_off=True)
    beat = RowsBeat(sent)
    beat.run(AT - seconds(1), AT + seconds(2))
    later = ClockedSchedule.objects.create(clocked_time=AT + seconds(30))
    PeriodicTask.objects.filter(pk=row.pk).update(clocked=later, enabled=True, date_changed=AT + seconds(3))
    beat.run(AT + seconds(4), AT + seconds(60))
    RowsBeat(sent, "restarted").run(AT + seconds(61), AT + seconds(90))
    assert times(sent) == [AT, AT + seconds(30)]


def test_a_one_off_saved_again_fires_again_at_its_next_time_over_a_restart(sent: list[Order]) -> None:
    row = saved_row(saved_at=utc("2026-03-09T12:00"), crontab=cron_row("0 9 * * *"), one_off=True)
    RowsBeat(sent).run(NINE - seconds(1), NINE + seconds(1))
    PeriodicTask.objects.filter(pk=row.pk).update(enabled=True, date_changed=NINE + seconds(60))
    RowsBeat(sent, "restarted").run(NINE + seconds(61), utc("2026-03-12T10:00"))
    assert times(sent) == utcs("2026-03-10T09:00", "2026-03-11T09:00")
    assert _enabled() == []


def test_a_run_by_hand_ends_no_one_off(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, interval=every(3600), one_off=True)
    Ledger("beat-a", 10).flush()
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(2))
    assert _enabled() == ["a"]
