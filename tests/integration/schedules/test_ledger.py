"""One row a slot, written in bulk by beats and one by one by workers, in any order of arrival, never backwards."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import PeriodicTask

from schedules.ledger import Entry, Ledger, last_slots, note_run
from schedules.models import SkipReason, Slot, SlotState
from schedules.stamp import Stamp, Trigger, manual_id, slot_id
from tests.support.schedules import NINE, every, schedule_row, seconds, stamp

pytestmark = pytest.mark.django_db


def _sent(schedule: str = "a", at: datetime = NINE, noted: datetime | None = None) -> Entry:
    return Entry(stamp(schedule, at), SlotState.DISPATCHED, at=noted or at + seconds(1))


def _skipped(schedule: str = "a", at: datetime = NINE, reason: SkipReason = SkipReason.CATCH_UP) -> Entry:
    return Entry(stamp(schedule, at), SlotState.SKIPPED, reason=reason, detail="told")


def _manual(number: int = 0, schedule: str = "a", at: datetime = NINE) -> Entry:
    made = Stamp(manual_id(schedule, f"{number:x}"), schedule, at, Trigger.MANUAL)
    return Entry(made, SlotState.DISPATCHED, at=at)


def _write(*entries: Entry, beat: str = "beat-a") -> None:
    ledger = Ledger(beat, capacity=1000)
    ledger.add(entries)
    assert ledger.flush()


def _slot(schedule: str = "a", at: datetime = NINE) -> Slot:
    return Slot.objects.get(slot_id=slot_id(schedule, at))


def _run(state: SlotState, at: datetime = NINE, **rest: Any) -> None:
    note_run(stamp("a", at), state, **rest)


def test_a_dispatch_makes_a_row_that_says_who_when_and_how() -> None:
    _write(_sent())
    slot = _slot()
    assert (slot.schedule, slot.scheduled_for, slot.trigger) == ("a", NINE, Trigger.SCHEDULE)
    assert (slot.state, slot.reason, slot.detail) == (SlotState.DISPATCHED, "", "")
    assert (slot.dispatches, slot.dispatched_by, slot.dispatched_at) == (1, "beat-a", NINE + seconds(1))
    assert (slot.started_at, slot.finished_at) == (None, None)


def test_a_skip_makes_a_row_with_its_reason() -> None:
    _write(_skipped())
    slot = _slot()
    assert (slot.state, slot.reason, slot.detail) == (SlotState.SKIPPED, SkipReason.CATCH_UP, "told")
    assert (slot.dispatches, slot.dispatched_by, slot.dispatched_at) == (0, "", None)


def test_a_thousand_rows_cost_three_statements() -> None:
    schedule_row("a")
    with CaptureQueriesContext(connection) as queries:
        _write(*(_sent(at=NINE + seconds(n)) for n in range(1000)))
    assert len([query for query in queries if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))]) == 3
    assert Slot.objects.count() == 1000


def test_nothing_to_write_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert Ledger("beat-a", capacity=1).flush()
    assert len(queries) == 0


def test_what_is_written_is_not_written_again() -> None:
    ledger = Ledger("beat-a", capacity=10)
    ledger.add([_sent()])
    assert ledger.flush()
    assert ledger.flush()
    assert _slot().dispatches == 1


def test_names_of_any_kind_are_kept() -> None:
    name = ('%:日本🚀"{}\\,' * 40)[:200]
    _write(_sent(name))
    assert _slot(name).schedule == name


def test_two_beats_that_sent_the_same_slot_are_counted_and_the_first_is_named() -> None:
    _write(_sent(), beat="beat-a")
    _write(_sent(noted=NINE + seconds(9)), beat="beat-b")
    slot = _slot()
    assert (slot.dispatches, slot.dispatched_by, slot.dispatched_at) == (2, "beat-a", NINE + seconds(1))


def test_a_worker_may_come_before_the_beat() -> None:
    _run(SlotState.RUNNING, started_at=NINE + seconds(2))
    assert (_slot().state, _slot().dispatches) == (SlotState.RUNNING, 0)
    _write(_sent())
    slot = _slot()
    assert (slot.state, slot.dispatches, slot.dispatched_by) == (SlotState.RUNNING, 1, "beat-a")
    assert (slot.dispatched_at, slot.started_at) == (NINE + seconds(1), NINE + seconds(2))


def test_a_run_that_ended_before_the_beat_wrote_stays_ended() -> None:
    _run(SlotState.RUNNING, started_at=NINE + seconds(1))
    _run(SlotState.DONE, finished_at=NINE + seconds(2))
    _write(_sent())
    slot = _slot()
    assert (slot.state, slot.started_at, slot.finished_at) == (SlotState.DONE, NINE + seconds(1), NINE + seconds(2))


def test_a_run_moves_a_dispatched_slot_on() -> None:
    _write(_sent())
    _run(SlotState.RUNNING, started_at=NINE + seconds(2))
    _run(SlotState.FAILED, detail="boom", finished_at=NINE + seconds(3))
    slot = _slot()
    assert (slot.state, slot.detail, slot.dispatches) == (SlotState.FAILED, "boom", 1)


@pytest.mark.parametrize("final", [SlotState.DONE, SlotState.SKIPPED])
@pytest.mark.parametrize("late", [SlotState.RUNNING, SlotState.FAILED, SlotState.SKIPPED])
def test_no_worker_moves_a_final_row_backwards(final: SlotState, late: SlotState) -> None:
    _run(final, reason="overlap" if final is SlotState.SKIPPED else "", finished_at=NINE + seconds(2))
    _run(late, reason="deadline", started_at=NINE + seconds(9), finished_at=NINE + seconds(9))
    slot = _slot()
    assert (slot.state, slot.finished_at) == (final, NINE + seconds(2))
    assert slot.reason != "deadline"


def test_a_missed_slot_that_another_beat_did_send_is_dispatched() -> None:
    _write(_skipped(), beat="beat-b")
    _write(_sent(), beat="beat-a")
    slot = _slot()
    assert (slot.state, slot.reason, slot.detail) == (SlotState.DISPATCHED, "", "")
    assert (slot.dispatches, slot.dispatched_by) == (1, "beat-a")


def test_a_beat_that_missed_what_another_sent_changes_nothing() -> None:
    _write(_sent(), beat="beat-a")
    _write(_skipped(), beat="beat-b")
    slot = _slot()
    assert (slot.state, slot.reason, slot.dispatches) == (SlotState.DISPATCHED, "", 1)


@pytest.mark.parametrize("reason", [SkipReason.OVERLAP, SkipReason.DEADLINE])
def test_any_other_skip_stands_against_a_dispatch(reason: SkipReason) -> None:
    _run(SlotState.SKIPPED, reason=str(reason), detail="said by a worker")
    _write(_sent())
    slot = _slot()
    assert (slot.state, slot.reason, slot.detail) == (SlotState.SKIPPED, reason, "said by a worker")


def test_the_run_of_a_slot_that_another_beat_took_for_missed_is_not_hidden() -> None:
    """The beat that sent it writes late: the worker has begun and ended in between."""
    _write(_skipped(), beat="beat-b")
    _run(SlotState.RUNNING, started_at=NINE + seconds(1))
    _run(SlotState.DONE, finished_at=NINE + seconds(2))
    _write(_sent(), beat="beat-a")
    slot = _slot()
    assert (slot.state, slot.reason, slot.detail) == (SlotState.DONE, "", "")
    assert (slot.started_at, slot.finished_at) == (NINE + seconds(1), NINE + seconds(2))


def test_entries_of_one_slot_are_merged_and_a_dispatch_is_not_hidden_by_a_later_skip() -> None:
    _write(_sent(), _skipped())
    assert (_slot().state, _slot().reason, _slot().dispatches) == (SlotState.DISPATCHED, "", 1)
    _write(_skipped(at=NINE + seconds(10)), _sent(at=NINE + seconds(10)))
    assert _slot(at=NINE + seconds(10)).state == SlotState.DISPATCHED


def test_a_schedules_row_is_counted_and_no_other() -> None:
    schedule_row("a")
    schedule_row("b")
    _write(_sent(noted=NINE + seconds(1)), _sent(at=NINE + seconds(10), noted=NINE + seconds(11)), _skipped("b"))
    a, b = PeriodicTask.objects.order_by("name")
    assert (a.total_run_count, a.last_run_at, a.enabled) == (2, NINE + seconds(11), True)
    assert (b.total_run_count, b.last_run_at) == (0, None)


def test_counting_is_no_change_of_the_schedule() -> None:
    before = schedule_row("a").date_changed
    _write(_sent())
    assert PeriodicTask.objects.get().date_changed == before


def test_b20_a_one_off_that_was_sent_is_disabled() -> None:
    schedule_row("a", one_off=True)
    _write(_sent())
    assert PeriodicTask.objects.get().enabled is False


def test_a_manual_run_does_not_end_a_one_off_that_is_still_to_come() -> None:
    schedule_row("a", one_off=True)
    _write(_manual())
    assert PeriodicTask.objects.get().enabled is True


def test_manual_runs_at_the_instant_of_a_slot_have_rows_of_their_own() -> None:
    _write(_sent(), _manual(1), _manual(2))
    assert Slot.objects.filter(schedule="a", scheduled_for=NINE).count() == 3


def test_last_slots_are_the_newest_of_each_enabled_schedule_and_not_manual() -> None:
    for name in ("a", "b", "c"):
        schedule_row(name, interval=every(10))
    PeriodicTask.objects.filter(name="c").update(enabled=False)
    _write(_sent(at=NINE), _skipped(at=NINE + seconds(10)), _sent("b"), _sent("c"), _sent("gone"))
    _write(_manual(at=NINE + seconds(99)))
    assert last_slots() == {"a": NINE + seconds(10), "b": NINE}
