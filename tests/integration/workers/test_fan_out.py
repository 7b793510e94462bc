"""One slot becomes one message per account, once for each, also when the umbrella dies half-way and goes on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from schedules import door
from schedules.redis import client
from schedules.stamp import Overlap, Stamp
from tests.support.workers import AT, declare_queues, draining, messages_in, stamp_of
from workers import fan_out as fan_outs
from workers.drain import Interrupted
from workers.execution import execute
from workers.fan_out import FanOutStuck, fan_out
from workers.models import Account, FanOut, Lease
from workers.run import current_run

pytestmark = pytest.mark.django_db(transaction=True)

SLOT, NEXT = stamp_of("slots"), stamp_of("slots", AT + timedelta(seconds=2))


class Killed(BaseException):
    """As SIGKILL: nothing after it runs."""


@pytest.fixture(autouse=True)
def queues(settings: Any) -> None:
    """Queues that can be published to, and three accounts in a chunk."""
    settings.SLOTBEAT_FAN_OUT_CHUNK = 3
    declare_queues()


def make(*keys: str, tenant: str = "t", **fields: Any) -> None:
    Account.objects.bulk_create(Account(key=key, tenant=tenant, endpoint=f"/{key}", **fields) for key in keys)


def run(stamp: Stamp = SLOT, tenant: str = "") -> FanOut:
    def work() -> FanOut:
        return fan_out(current_run.get(), "jobs.sync", {"feed": "ads"}, tenant=tenant, priority=None, finished_at=AT)

    found = execute(stamp, work, "w1")
    assert isinstance(found, FanOut)
    return found


def published(stamp: Stamp = SLOT) -> list[str]:
    """The accounts in the queue for that slot, oldest first."""
    instant = stamp.to_headers()["slotbeat"]["scheduled_for_ms"]
    return [
        message.stamp["account"] for message in messages_in("accounts") if message.stamp["scheduled_for_ms"] == instant
    ]


@contextmanager
def killed_at(sql: str) -> Generator[None]:
    """Dies before the second statement that contains `sql`."""
    seen: list[str] = []

    def watch(execute: Any, statement: str, params: Any, many: bool, context: Any) -> Any:
        if sql in statement:
            seen.append(statement)
            if len(seen) == 2:
                raise Killed
        return execute(statement, params, many, context)

    with pytest.raises(Killed), connection.execute_wrapper(watch):
        yield
    # What SIGKILL leaves: a lease that runs out.
    Lease.objects.update(expires_at=AT)


def test_each_account_gets_one_message_with_its_stamp() -> None:
    keys = [f"acc{number}" for number in range(7)]
    make(*keys)
    record = run()
    messages = messages_in("accounts")
    assert [message.stamp["account"] for message in messages] == keys
    for message, key in zip(messages, keys, strict=True):
        assert message.stamp == SLOT.for_account(key).to_headers()["slotbeat"]
        assert (message.id, message.task, message.kwargs) == (
            SLOT.for_account(key).slot_id,
            "jobs.sync",
            {"feed": "ads"},
        )
    assert (record.published, record.skipped, record.job, record.finished_at) == (7, 0, "jobs.sync", AT)
    assert (record.slot_id, record.schedule, record.scheduled_for) == (SLOT.slot_id, "slots", AT)
    assert client().llen("schedules") == 0


def test_no_account_is_no_error() -> None:
    record = run()
    assert (record.published, record.skipped, record.finished_at) == (0, 0, AT)


@pytest.mark.parametrize("key", ["a:b", "naïve 🔑", "x" * 200])
def test_any_account_key_goes_through_guard_and_queue(key: str) -> None:
    make(key)
    run()
    assert published() == [key]


def test_a_tenants_fan_out_is_for_its_accounts_alone() -> None:
    make("a1", "a2", tenant="a")
    make("b1", tenant="b")
    assert run(tenant="a").published == 2
    assert published() == ["a1", "a2"]


def test_disabled_accounts_are_left_out() -> None:
    make("on1", "on2")
    make("off", enabled=False)
    run()
    assert published() == ["on1", "on2"]


def test_accounts_that_have_not_ended_are_skipped_with_the_run_in_the_way() -> None:
    make("a1", "a2", "a3", "a4")
    run()
    door.run_ended(SLOT.for_account("a2"), AT)
    record = run(NEXT)
    assert (record.published, record.skipped) == (1, 3)
    assert published(NEXT) == ["a2"]
    skipped = Lease.objects.filter(state="SKIPPED").order_by("account")
    assert [(lease.account, lease.reason, lease.error) for lease in skipped] == [
        (key, "overlap", f"{SLOT.for_account(key).slot_id} had not ended") for key in ("a1", "a3", "a4")
    ]
    assert {lease.run_key for lease in skipped} == {NEXT.for_account(key).slot_id for key in ("a1", "a3", "a4")}


def test_with_allow_all_nobody_waits_for_an_earlier_run() -> None:
    make("a1", "a2")
    for at in (AT, AT + timedelta(seconds=2)):
        assert run(stamp_of("slots", at, overlap=Overlap.ALLOW_ALL)).published == 2


@pytest.mark.parametrize(
    "statement",
    ['FROM "workers_account"', 'UPDATE "workers_fanout" SET "cursor"'],
    ids=["between two chunks", "between publishing a chunk and recording it"],
)
def test_an_umbrella_killed_half_way_goes_on_and_publishes_each_account_once(statement: str) -> None:
    keys = [f"acc{number}" for number in range(8)]
    make(*keys)
    with killed_at(statement):
        run()
    assert 3 <= len(published()) < 8
    record = run()
    assert published() == keys
    assert (record.published, record.skipped, record.finished_at) == (8, 0, AT)


def test_a_killed_umbrella_that_skipped_accounts_records_each_of_them_once() -> None:
    keys = [f"acc{number}" for number in range(8)]
    make(*keys)
    run()
    with killed_at('UPDATE "workers_fanout" SET "cursor"'):
        run(NEXT)
    record = run(NEXT)
    assert (record.published, record.skipped) == (0, 8)
    assert Lease.objects.filter(state="SKIPPED").count() == 8
    assert published(NEXT) == []


def test_a_stopping_umbrella_is_given_back_and_goes_on_behind_its_last_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"acc{number}" for number in range(8)]
    make(*keys)
    original = fan_outs._record

    def stop_after_it(*arguments: Any) -> None:
        original(*arguments)
        stop.enter_context(draining())

    with ExitStack() as stop:
        monkeypatch.setattr(fan_outs, "_record", stop_after_it)
        with pytest.raises(Interrupted):
            run()
        assert published() == keys[:3]
    monkeypatch.undo()
    record = run()
    assert published() == keys
    assert record.published == 8


def test_accounts_added_while_it_runs_do_not_disturb_it() -> None:
    make("a1", "a2", "a3")
    with killed_at('FROM "workers_account"'):
        run()
    make("late")
    assert run().published == 4
    assert published() == ["a1", "a2", "a3", "late"]


def test_a_broker_that_is_away_is_an_error_and_the_rest_goes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue's key holds another type, so that no message can be put there."""
    monkeypatch.setattr(fan_outs, "_PAUSE_SECONDS", 0.001)
    make("a1", "a2", "a3", "a4")
    client().set("accounts", "not a list")
    with pytest.raises(FanOutStuck, match=f"{SLOT.slot_id}: 3 runs could not be handed"):
        run()
    client().delete("accounts")
    assert Lease.objects.get(run_key=SLOT.slot_id).state == "FAIL"
    assert run().published == 4
    assert published() == ["a1", "a2", "a3", "a4"]


def test_a_claim_of_a_killed_umbrella_is_waited_for(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fan_outs, "_PAUSE_SECONDS", 0.2)
    make("a1", "a2")
    stamp = SLOT.for_account("a1")
    client().set(f"slotbeat:slot:{stamp.slot_id}", "claim:dead", px=500)
    assert run().published == 2
    assert sorted(published()) == ["a1", "a2"]
