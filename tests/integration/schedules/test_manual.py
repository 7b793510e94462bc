"""Run now: one run with an id of its own, under the schedule's own options, written down like any other."""

from __future__ import annotations

import pytest
import redis
from django_celery_beat.models import PeriodicTask
from pytest_django import Settings

from scheduler_project.celery import app
from schedules.handover import Outcome
from schedules.manual import NotHandedOver, run_now
from schedules.models import SkipReason, Slot, SlotState
from schedules.redis import client
from schedules.stamp import Stamp, Trigger, parse_id
from tests.support.queues import messages
from tests.support.schedules import NINE, schedule_row, seconds
from tests.support.valkey import CLOSED_PORT

pytestmark = pytest.mark.django_db


def test_a_run_by_hand_is_a_message_and_a_row_of_the_ledger() -> None:
    row = schedule_row("a:b", expire_seconds=20, queue="accounts")
    result = run_now(row, NINE)
    assert result.outcome is Outcome.DISPATCHED
    (message,) = messages("accounts")
    stamp = Stamp.from_headers(message.headers)
    assert stamp is not None
    assert (stamp.trigger, stamp.scheduled_for, stamp.deadline) == (Trigger.MANUAL, NINE, NINE + seconds(20))
    assert parse_id(stamp.slot_id)[:2] == ("a:b", "")
    slot = Slot.objects.get()
    assert (slot.slot_id, slot.trigger, slot.state) == (stamp.slot_id, Trigger.MANUAL, SlotState.DISPATCHED)
    assert (slot.dispatches, slot.dispatched_at) == (1, NINE)


def test_two_runs_at_one_instant_are_two_runs() -> None:
    row = schedule_row(options={"overlap": "allow_all"})
    assert {run_now(row, NINE).outcome for _ in range(2)} == {Outcome.DISPATCHED}
    assert len({message.task_id for message in messages()}) == Slot.objects.count() == 2


def test_a_disabled_schedule_may_be_run_and_stays_disabled() -> None:
    row = schedule_row(enabled=False)
    run_now(row, NINE)
    assert len(messages()) == 1
    assert PeriodicTask.objects.get().enabled is False


def test_a_run_by_hand_does_not_run_beside_an_unfinished_one() -> None:
    row = schedule_row()
    first = run_now(row, NINE)
    second = run_now(row, NINE + seconds(1))
    assert (second.outcome, second.holder) == (Outcome.OVERLAP, first.order.stamp.slot_id)
    assert len(messages()) == 1
    slot = Slot.objects.get(slot_id=second.order.stamp.slot_id)
    assert (slot.state, slot.reason) == (SlotState.SKIPPED, SkipReason.OVERLAP)
    assert first.order.stamp.slot_id in slot.detail


def test_a_one_off_that_is_run_by_hand_keeps_its_own_time() -> None:
    run_now(schedule_row(one_off=True), NINE)
    assert PeriodicTask.objects.get().enabled is True


def test_a_schedule_that_cannot_run_is_refused() -> None:
    row = schedule_row(enabled=False, kwargs="{")
    with pytest.raises(ValueError, match="kwargs is not JSON"):
        run_now(row, NINE)
    assert Slot.objects.count() == 0


def test_without_the_guard_nothing_happens_and_it_is_told(settings: Settings) -> None:
    home = client()
    settings.SLOTBEAT_REDIS_URL = CLOSED_PORT
    with pytest.raises(redis.RedisError):
        run_now(schedule_row(), NINE)
    assert (messages(redis=home), Slot.objects.count()) == ([], 0)


def test_a_queue_that_is_gone_is_told_and_the_next_try_is_free() -> None:
    row = schedule_row()
    PeriodicTask.objects.update(queue="nobody")
    row.refresh_from_db()
    with pytest.raises(NotHandedOver, match="schedule 'a' was not run"):
        run_now(row, NINE)
    row.queue = None
    assert run_now(row, NINE).outcome is Outcome.DISPATCHED
    assert app.amqp.queues.keys() == {"schedules", "accounts"}
