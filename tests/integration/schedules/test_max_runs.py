"""A schedule with a number of runs ends after them: over two beats, over a restart, and with the count in its row."""

from __future__ import annotations

import pytest
from django_celery_beat.models import PeriodicTask

from schedules.models import ScheduleOptions, Slot, SlotState
from schedules.publisher import Order
from schedules.redis import client
from tests.support.passes import times
from tests.support.rows_beat import RowsBeat, saved_row
from tests.support.schedules import NINE, seconds

pytestmark = pytest.mark.django_db

FIRST_THREE = [NINE + seconds(count) for count in (10, 20, 30)]


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def test_it_ends_after_its_runs_and_the_row_says_so(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3})
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(90))
    assert times(sent) == FIRST_THREE
    row = PeriodicTask.objects.get()
    assert (row.total_run_count, row.enabled) == (3, False)


def test_two_beats_count_together(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3})
    beats = [RowsBeat(sent, owner) for owner in ("beat-a", "beat-b")]
    for count in range(1, 91):
        for beat in beats if count % 20 < 10 else reversed(beats):
            beat.look(NINE + seconds(count))
    assert times(sent) == FIRST_THREE
    assert PeriodicTask.objects.get().total_run_count == 3


def test_two_beats_that_do_not_read_the_rows_again_count_the_same(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3})
    beats = [RowsBeat(sent, owner) for owner in ("beat-a", "beat-b")]
    for beat in beats:
        beat.look(NINE + seconds(1))
    for count in range(2, 91):
        for beat in beats:
            beat.dispatch.run_pass(NINE + seconds(count))
    assert times(sent) == FIRST_THREE


@pytest.mark.parametrize("redis_flushed", [False, True])
def test_after_a_restart_it_goes_on_with_the_count_of_the_row(sent: list[Order], redis_flushed: bool) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3})
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(25))
    assert len(sent) == 2
    if redis_flushed:
        client().flushdb()
    RowsBeat(sent, "restarted").run(NINE + seconds(26), NINE + seconds(90))
    assert times(sent) == FIRST_THREE


def test_after_a_restart_a_catch_up_takes_only_what_the_row_has_left(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3, "catch_up": "all"})
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(25))
    RowsBeat(sent, "restarted").run(NINE + seconds(65), NINE + seconds(66))
    assert times(sent) == FIRST_THREE


def test_a_catch_up_takes_no_more_than_what_is_left(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 3, "catch_up": "all"})
    RowsBeat(sent).run(NINE + seconds(55), NINE + seconds(90))
    assert times(sent) == FIRST_THREE


def test_slots_that_were_skipped_are_no_runs(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 2, "catch_up": "skip"})
    RowsBeat(sent).run(NINE + seconds(28), NINE + seconds(90))
    assert times(sent) == [NINE + seconds(30), NINE + seconds(40)]
    assert Slot.objects.filter(state=SlotState.SKIPPED).count() == 2


def test_a_slot_skipped_because_the_one_before_had_not_ended_is_no_run(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 2, "overlap": "skip"})
    beat = RowsBeat(sent)
    beat.run(NINE + seconds(1), NINE + seconds(25))
    assert PeriodicTask.objects.get().total_run_count == 1
    assert PeriodicTask.objects.get().enabled
    for order in list(sent):
        client().flushdb()
        assert order.stamp.scheduled_for == NINE + seconds(10)
    beat.run(NINE + seconds(26), NINE + seconds(90))
    assert times(sent) == [NINE + seconds(10), NINE + seconds(30)]


def test_more_runs_given_later_go_on(sent: list[Order]) -> None:
    saved_row(saved_at=NINE, options={"max_runs": 1})
    beat = RowsBeat(sent)
    beat.run(NINE + seconds(1), NINE + seconds(25))
    ScheduleOptions.objects.update(max_runs=2)
    PeriodicTask.objects.update(enabled=True)
    beat.run(NINE + seconds(26), NINE + seconds(90))
    assert times(sent) == [NINE + seconds(10), NINE + seconds(30)]
