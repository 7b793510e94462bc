"""The door for those downstream: dispatch through the guard, and what a worker says of a slot's run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis, RedisError

from schedules import door
from schedules.models import Slot, SlotState
from schedules.redis import client
from schedules.stamp import Overlap
from tests.support.queues import task_ids
from tests.support.schedules import NINE, order, seconds, stamp
from tests.support.valkey import CLOSED_PORT

pytestmark = pytest.mark.django_db

SLOT = stamp(overlap=Overlap.SKIP)
OF_ACCOUNT = SLOT.for_account("acme")


def test_orders_go_through_the_guard_to_the_broker_once() -> None:
    orders = [order("a", options={"queue": "accounts"}), order("b", options={"queue": "accounts"})]
    assert [result.outcome for result in door.dispatch(orders)] == [door.Outcome.DISPATCHED] * 2
    assert [result.outcome for result in door.dispatch(orders)] == [door.Outcome.DUPLICATE] * 2
    assert task_ids("accounts") == [each.stamp.slot_id for each in orders]
    assert task_ids("schedules") == []


def test_an_account_that_has_not_ended_is_held_back_and_no_other() -> None:
    later = stamp(at=NINE + seconds(10), overlap=Overlap.SKIP)
    door.dispatch([door.Order(SLOT.for_account(account), "jobs.sync_feed") for account in ("x", "y")])
    door.run_ended(SLOT.for_account("y"), NINE)
    results = door.dispatch([door.Order(later.for_account(account), "jobs.sync_feed") for account in ("x", "y", "z")])
    expected = [door.Outcome.OVERLAP, door.Outcome.DISPATCHED, door.Outcome.DISPATCHED]
    assert [result.outcome for result in results] == expected
    assert results[0].holder == SLOT.for_account("x").slot_id


@pytest.fixture
def without_redis(settings: Settings) -> Iterator[Redis]:
    """The door finds a closed port; given is a client that still reaches the test's server."""
    home = client()
    door._guard_of.cache_clear()
    settings.SLOTBEAT_REDIS_URL = CLOSED_PORT
    yield home
    door._guard_of.cache_clear()


def test_without_the_guard_nothing_is_dispatched(without_redis: Redis) -> None:
    with pytest.raises(RedisError):
        door.dispatch([order("a")])
    assert task_ids(redis=without_redis) == []


def test_a_run_is_followed_from_start_to_end() -> None:
    door.run_started(SLOT, NINE + seconds(1))
    assert Slot.objects.get().state == SlotState.RUNNING
    door.run_ended(SLOT, NINE + seconds(3))
    slot = Slot.objects.get()
    assert (slot.state, slot.detail) == (SlotState.DONE, "")
    assert (slot.started_at, slot.finished_at) == (NINE + seconds(1), NINE + seconds(3))


def test_a_failed_run_says_why() -> None:
    door.run_started(SLOT, NINE)
    door.run_ended(SLOT, NINE, error="CallFailed: 500")
    assert (Slot.objects.get().state, Slot.objects.get().detail) == (SlotState.FAILED, "CallFailed: 500")


@pytest.mark.parametrize("error", ["half a message\0and more", "half a pair \ud83d"])
def test_an_error_that_postgresql_cannot_store_as_it_is_is_still_written_down(error: str) -> None:
    door.run_ended(SLOT, NINE, error=error)
    assert Slot.objects.get().state == SlotState.FAILED
    assert Slot.objects.get().detail.startswith("half a")


def test_a_skipped_run_says_why() -> None:
    door.run_skipped(SLOT, NINE, door.SkipReason.DEADLINE, "41 s late")
    slot = Slot.objects.get()
    assert (slot.state, slot.reason, slot.detail) == (SlotState.SKIPPED, "deadline", "41 s late")


def test_runs_of_accounts_have_no_row_in_the_ledger() -> None:
    door.run_started(OF_ACCOUNT, NINE)
    door.run_ended(OF_ACCOUNT, NINE)
    door.run_skipped(OF_ACCOUNT, NINE, door.SkipReason.PAUSED, "")
    assert Slot.objects.count() == 0


@pytest.mark.parametrize("ended_by", ["end", "skip"])
def test_the_end_of_a_run_lets_the_next_slot_go(ended_by: str) -> None:
    later = door.Order(stamp(at=NINE + seconds(20), overlap=Overlap.SKIP), "fan_out")
    door.dispatch([door.Order(SLOT, "fan_out")])
    if ended_by == "end":
        door.run_ended(SLOT, NINE, error="boom")
    else:
        door.run_skipped(SLOT, NINE, door.SkipReason.DEADLINE, "")
    assert client().keys("*:mark:*") == []
    assert door.dispatch([later])[0].outcome is door.Outcome.DISPATCHED


@pytest.mark.usefixtures("without_redis")
def test_a_run_ends_also_while_redis_is_away(caplog: pytest.LogCaptureFixture) -> None:
    door.run_ended(SLOT, NINE)
    assert Slot.objects.get().state == SlotState.DONE
    assert f"the overlap mark of {SLOT.slot_id} could not be cleared" in caplog.text
