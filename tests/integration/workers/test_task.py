"""Stamped messages on the real queue: a plain task runs under a lease, and once, whatever is redelivered.

A Celery worker in a thread of this process takes the messages from Valkey.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import timedelta
from typing import Any

import pytest
from celery import Task, current_app, shared_task
from celery.signals import task_failure

from schedules.models import Slot, SlotState
from schedules.redis import client
from schedules.stamp import HEADER, NotAStamp
from tests.support.waiting import wait_for
from tests.support.workers import (
    AT,
    LONG_AGO,
    acquired,
    declare_queues,
    end_draining,
    running_worker,
    send,
    stamp_of,
    unfinished_messages,
    wait_until_settled,
)
from workers import lease as leases
from workers.drain import drain
from workers.models import Lease, LeaseState
from workers.run import current_run

pytestmark = pytest.mark.django_db(transaction=True)

STAMP = stamp_of("nightly")
acts: dict[str, Callable[[Any], Any]] = {}
done: list[str] = []


@shared_task(name="tests.note")
def note(text: str) -> None:
    """Knows nothing of stamps."""
    done.append(text)


@shared_task(name="tests.act", bind=True, max_retries=2)
def act(self: Task[Any, Any], name: str) -> None:
    """Does what the test of that name wants."""
    acts[name](self)


@pytest.fixture(autouse=True)
def fresh() -> Generator[None]:
    """Nothing is left of an earlier test."""
    done.clear()
    acts.clear()
    declare_queues()
    yield
    end_draining()


def lease(stamp: Any = STAMP) -> Lease:
    return Lease.objects.get(run_key=stamp.slot_id)


def slot(stamp: Any = STAMP) -> Slot:
    return Slot.objects.get(slot_id=stamp.slot_id)


def work_off() -> None:
    with running_worker():
        wait_until_settled()


def test_a_plain_task_runs_under_its_lease() -> None:
    acts["look"] = lambda _task: done.append(current_run.get().idempotency_key)
    send(STAMP, "tests.act", name="look")
    work_off()
    assert done == [STAMP.idempotency_key]
    assert (lease().state, lease().attempts, bool(lease().worker)) == (LeaseState.SUCCESS, 1, True)
    assert (slot().state, slot().scheduled_for) == (SlotState.DONE, AT)


def test_a_message_delivered_three_times_runs_once() -> None:
    for _ in range(3):
        send(STAMP, "tests.note", text="once")
    work_off()
    assert done == ["once"]
    assert (lease().attempts, slot().state) == (1, SlotState.DONE)


def test_an_unstamped_message_runs_as_celery_runs_it() -> None:
    acts["look"] = lambda task: done.append(task.request.id)
    current_app.send_task("tests.act", kwargs={"name": "look"}, task_id="by-hand", queue="schedules")
    work_off()
    assert done == ["by-hand"]
    assert not Lease.objects.exists()


def test_a_task_called_as_a_function_runs_as_a_function() -> None:
    note("direct")
    assert done == ["direct"]


def test_a_bound_task_sees_its_own_message() -> None:
    acts["look"] = lambda task: done.append(f"{task.request.id} {task.request.retries}")
    send(STAMP, "tests.act", name="look")
    work_off()
    assert done == [f"{STAMP.slot_id} 0"]


def test_a_task_that_retries_by_itself_is_tried_again_under_the_same_key() -> None:
    keys: list[str] = []

    def fail_once(task: Any) -> None:
        keys.append(current_run.get().idempotency_key)
        if len(keys) == 1:
            raise task.retry(countdown=0)

    acts["fail once"] = fail_once
    send(STAMP, "tests.act", name="fail once")
    work_off()
    assert keys == [STAMP.idempotency_key] * 2
    assert (lease().state, lease().attempts, slot().state) == (LeaseState.SUCCESS, 2, SlotState.DONE)


def test_a_copy_that_meets_a_live_lease_comes_back_and_runs_if_the_first_died() -> None:
    dying, ending = stamp_of("dying"), stamp_of("ending")
    acquired(dying, seconds=1, worker="dead")
    other = acquired(ending, seconds=2, worker="slow")
    for stamp in (dying, ending):
        send(stamp, "tests.note", text=stamp.schedule)
    with running_worker():
        wait_for(lambda: (client().llen("schedules"), client().hlen("unacked")) == (0, 2), what="both to be held back")
        assert not done
        leases.complete(other)
        wait_until_settled()
    assert done == ["dying"]
    assert (lease(dying).state, lease(dying).attempts, lease(dying).fence) == (LeaseState.SUCCESS, 2, 2)
    assert (lease(ending).state, lease(ending).worker, lease(ending).attempts) == (LeaseState.SUCCESS, "slow", 1)


def test_too_late_and_overlapping_messages_are_skipped_with_their_reasons() -> None:
    late, overlapping = stamp_of("late", deadline=LONG_AGO), stamp_of("nightly", AT + timedelta(minutes=1))
    acquired(STAMP, seconds=600)
    for stamp in (late, overlapping):
        send(stamp, "tests.note", text=stamp.slot_id)
    work_off()
    assert not done
    for stamp, reason in ((late, "deadline"), (overlapping, "overlap")):
        assert (lease(stamp).state, lease(stamp).reason) == (LeaseState.SKIPPED, reason)
        assert (slot(stamp).state, slot(stamp).reason) == (SlotState.SKIPPED, reason)


def test_a_failure_is_recorded_and_acknowledged() -> None:
    def fail(_task: Any) -> None:
        raise LookupError("no such feed")

    acts["fail"] = fail
    send(STAMP, "tests.act", name="fail")
    work_off()
    assert (lease().state, lease().error) == (LeaseState.FAIL, "LookupError: no such feed")
    assert (slot().state, slot().detail) == (SlotState.FAILED, "LookupError: no such feed")


def test_an_interrupted_run_goes_back_to_the_queue_and_runs_later() -> None:
    def stop_in_the_middle(_task: Any) -> None:
        done.append("begun")
        if len(done) == 1:
            drain.begin()
        current_run.get().checkpoint()
        done.append("ended")

    acts["stop"] = stop_in_the_middle
    send(STAMP, "tests.act", name="stop")
    with running_worker():
        wait_for(lambda: Lease.objects.filter(state=LeaseState.FAIL).first(), what="the run to be given back")
        assert (lease().attempts, slot().state) == (0, SlotState.RUNNING)
        wait_for(lambda: unfinished_messages() == 1, what="the message to be back")
        end_draining()
        wait_until_settled()
    assert done == ["begun", "begun", "ended"]
    assert (lease().state, lease().attempts, lease().fence) == (LeaseState.SUCCESS, 1, 2)
    assert slot().state == SlotState.DONE


def test_a_stopping_worker_gives_back_what_it_had_taken_and_not_begun() -> None:
    send(STAMP, "tests.note", text="later")
    drain.begin()
    with running_worker():
        pass
    assert (done, unfinished_messages()) == ([], 1)
    end_draining()
    work_off()
    assert done == ["later"]


def test_a_header_that_is_no_stamp_is_an_error_that_names_it() -> None:
    errors: list[Exception] = []

    def keep(exception: Exception, **_kwargs: Any) -> None:
        errors.append(exception)

    task_failure.connect(keep)
    headers = {HEADER: {"slot_id": "nightly:1"}}
    current_app.send_task("tests.note", kwargs={"text": "never"}, headers=headers, queue="schedules")
    work_off()
    assert not done
    (error,) = errors
    assert isinstance(error, NotAStamp)
    assert "'slotbeat'" in str(error)
    assert "nightly:1" in str(error)
    assert not Lease.objects.exists()
