"""One run: its lease decides whether the work is done; how it ended stands in the lease and in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import Error, connection

from schedules.models import Slot, SlotState
from tests.support.workers import AT, LONG_AGO, acquired, draining, end_draining, expire, stamp_of, together
from workers import outbox
from workers.drain import Interrupted, drain
from workers.execution import Busy, execute
from workers.models import Account, Lease, LeaseState, OutboxEvent
from workers.run import Run, current_run

pytestmark = pytest.mark.django_db(transaction=True)

STAMP = stamp_of("nightly")
LATER = stamp_of("nightly", AT + timedelta(minutes=1))
OF_ACCOUNT = stamp_of("nightly", account="acme")


def run(work: Callable[[Run], Any] = lambda _run: None, stamp: Any = STAMP, worker: str = "w1") -> Any:
    return execute(stamp, lambda: work(current_run.get()), worker)


def slot() -> Slot:
    return Slot.objects.get(slot_id=STAMP.slot_id)


def lease(stamp: Any = STAMP) -> Lease:
    return Lease.objects.get(run_key=stamp.slot_id)


def taken_over(held: Run) -> None:
    expire(held.lease)
    acquired(held.stamp, worker="w2")


def test_the_work_is_done_under_a_live_lease_and_its_answer_returned() -> None:
    def work(held: Run) -> str:
        assert (lease().state, slot().state) == (LeaseState.RUNNING, SlotState.RUNNING)
        assert (held.idempotency_key, held.lease.fence) == (STAMP.idempotency_key, 1)
        held.checkpoint()
        return "answer"

    assert run(work) == "answer"
    assert (lease().state, lease().worker, lease().attempts) == (LeaseState.SUCCESS, "w1", 1)
    assert (slot().state, slot().reason, slot().schedule) == (SlotState.DONE, "", "nightly")
    assert slot().started_at is not None
    assert slot().finished_at is not None
    assert current_run.get(None) is None


def test_a_run_that_is_done_is_not_done_again() -> None:
    done: list[int] = []
    for _ in range(3):
        run(lambda _run: done.append(1))
    assert done == [1]
    assert (lease().attempts, slot().state) == (1, SlotState.DONE)


def test_a_run_that_another_holds_is_busy_and_says_for_how_long() -> None:
    acquired(STAMP, seconds=30, worker="other")
    with pytest.raises(Busy, match=f"{STAMP.slot_id} is held by other") as busy:
        run()
    assert 25 < busy.value.seconds <= 30


def test_a_failed_run_says_why_in_lease_and_ledger_and_may_be_tried_again() -> None:
    def work(_run: Run) -> None:
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="no luck"):
        run(work)
    assert (lease().state, lease().error) == (LeaseState.FAIL, "ValueError: no luck")
    assert (slot().state, slot().detail) == (SlotState.FAILED, "ValueError: no luck")
    run()
    assert (lease().state, lease().attempts) == (LeaseState.SUCCESS, 2)
    assert (slot().state, slot().detail) == (SlotState.DONE, "")


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d of a pair", ""])
def test_any_error_text_can_be_recorded(text: str) -> None:
    def work(_run: Run) -> None:
        raise LookupError(text)

    with pytest.raises(LookupError):
        run(work)
    assert (lease().state, slot().state) == (LeaseState.FAIL, SlotState.FAILED)
    assert lease().error.startswith("LookupError: ")


def test_a_run_whose_connection_was_cut_is_recorded_as_failed() -> None:
    def work(_run: Run) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(Error, match="terminating connection"):
        together(1, lambda _number: run(work))
    assert (lease().state, slot().state) == (LeaseState.FAIL, SlotState.FAILED)


def test_too_late_is_skipped_with_its_reason() -> None:
    done: list[int] = []
    late = stamp_of("nightly", deadline=LONG_AGO)
    assert run(lambda _run: done.append(1), late) is None
    assert not done
    assert (lease().state, lease().reason) == (LeaseState.SKIPPED, "deadline")
    assert (slot().state, slot().reason) == (SlotState.SKIPPED, "deadline")
    assert "a worker was free" in slot().detail


def test_a_late_copy_does_not_call_a_run_skipped_that_is_running() -> None:
    """The copy comes after the deadline, while the first delivery, which came in time, is being worked on."""

    def work(_run: Run) -> None:
        with suppress(Busy):
            run(stamp=stamp_of("nightly", deadline=LONG_AGO), worker="w2")
        assert slot().state == SlotState.RUNNING

    run(work)
    assert lease().state == LeaseState.SUCCESS
    assert (slot().state, slot().reason) == (SlotState.DONE, "")


def test_an_overlapping_run_is_skipped_with_its_reason_and_the_one_in_the_way() -> None:
    run(lambda _run: run(stamp=LATER, worker="w2"))
    assert lease().state == LeaseState.SUCCESS
    assert (lease(LATER).state, lease(LATER).reason) == (LeaseState.SKIPPED, "overlap")
    later = Slot.objects.get(slot_id=LATER.slot_id)
    assert (later.state, later.reason, later.detail) == (SlotState.SKIPPED, "overlap", f"{STAMP.slot_id} had not ended")


def test_a_run_of_an_account_is_recorded_in_its_lease_alone() -> None:
    Account.objects.create(key="acme", tenant="t", endpoint="/acme")
    assert run(lambda held: held.account.key, OF_ACCOUNT) == "acme"
    assert (lease(OF_ACCOUNT).state, lease(OF_ACCOUNT).account) == (LeaseState.SUCCESS, "acme")
    assert not Slot.objects.exists()


def test_an_account_that_was_deleted_fails_its_run() -> None:
    with pytest.raises(Account.DoesNotExist):
        run(lambda held: held.account, OF_ACCOUNT)
    assert lease(OF_ACCOUNT).state == LeaseState.FAIL


def test_a_stopping_process_begins_nothing() -> None:
    with draining(), pytest.raises(Interrupted):
        run()
    assert not Lease.objects.exists()


def test_an_interrupted_run_is_given_back_without_an_attempt_and_goes_on_elsewhere() -> None:
    def work(held: Run) -> None:
        drain.begin()
        try:
            held.wait(60)
        finally:
            end_draining()

    with pytest.raises(Interrupted):
        run(work)
    assert (lease().state, lease().attempts) == (LeaseState.FAIL, 0)
    assert slot().state == SlotState.RUNNING
    run(worker="w2")
    assert (lease().state, lease().attempts, lease().fence) == (LeaseState.SUCCESS, 1, 2)
    assert slot().state == SlotState.DONE


def test_changes_and_events_are_committed_together() -> None:
    def work(held: Run) -> None:
        with held.transaction():
            Account.objects.create(key="new", tenant="t", endpoint="/new")
            outbox.record("accounts", "new", {"is": "new"})

    run(work)
    assert Account.objects.filter(key="new").exists()
    event = OutboxEvent.objects.get()
    assert event.headers == {"idempotency_key": STAMP.idempotency_key, "slot_id": STAMP.slot_id}


def test_changes_and_events_of_a_lost_run_are_rolled_back_and_its_end_is_not_recorded() -> None:
    def work(held: Run) -> None:
        with held.transaction():
            Account.objects.create(key="new", tenant="t", endpoint="/new")
            outbox.record("accounts", "new", {"is": "new"})
            together(1, lambda _number: taken_over(held))

    assert run(work) is None
    assert not Account.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert (lease().state, lease().worker) == (LeaseState.RUNNING, "w2")


def test_a_run_that_ends_after_it_was_taken_over_leaves_it_to_the_new_owner() -> None:
    run(taken_over)
    assert (lease().state, lease().worker, lease().fence) == (LeaseState.RUNNING, "w2", 2)
    assert slot().state == SlotState.RUNNING


def test_a_run_that_fails_after_it_was_taken_over_leaves_it_to_the_new_owner() -> None:
    def work(held: Run) -> None:
        taken_over(held)
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="no luck"):
        run(work)
    assert (lease().state, lease().worker) == (LeaseState.RUNNING, "w2")
    assert slot().state == SlotState.RUNNING


def test_a_checkpoint_stops_a_run_that_was_lost() -> None:
    reached: list[str] = []

    def work(held: Run) -> None:
        held.kept.lost = True
        reached.append("before")
        held.checkpoint()
        reached.append("after")

    assert run(work) is None
    assert reached == ["before"]


def test_a_takeover_after_expiry_keeps_the_key() -> None:
    expire(acquired(STAMP, worker="dead"))
    keys: list[str] = []
    run(lambda held: keys.append(held.idempotency_key), worker="w2")
    assert keys == [STAMP.idempotency_key]
    assert (lease().attempts, lease().fence, lease().worker) == (2, 2, "w2")
