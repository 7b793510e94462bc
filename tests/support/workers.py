"""What the tests of `workers` share: stamps, leases that run out at will, races, and a real worker in a thread."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from celery import current_app
from celery.contrib.testing.worker import TestWorkController, start_worker
from django.db import connection, connections

from schedules.publisher import Order, publish
from schedules.redis import client
from schedules.stamp import Stamp, slot_id
from tests.support.waiting import wait_for
from workers import lease as leases
from workers.drain import drain
from workers.identity import Identity
from workers.lease import HeldLease

T = TypeVar("T")
AT = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
QUEUES = ("schedules", "accounts")
_STOP_SECONDS = 20.0
_LOOKS = 5


def stamp_of(schedule: str = "slots", at: datetime = AT, *, account: str = "", **fields: Any) -> Stamp:
    """The stamp of a slot, or of one account's run in it."""
    return Stamp(slot_id(schedule, at, account), schedule, at, account=account, **fields)


def acquired(identity: Identity | Stamp, seconds: float = 60, worker: str = "w1") -> HeldLease:
    """A lease that nobody stands in the way of."""
    held = leases.acquire(identity if isinstance(identity, Identity) else Identity.of(identity), seconds, worker)
    assert isinstance(held, HeldLease), f"expected the lease, got {held}"
    return held


def expire(lease: HeldLease) -> None:
    """Lets the lease run out now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE workers_lease SET expires_at = clock_timestamp() - interval '1 ms' WHERE id = %s", [lease.id]
        )


def together(count: int, action: Callable[[int], T]) -> list[T]:
    """What `action` returns in each of `count` threads that begin at one moment, on connections of their own."""
    start = threading.Barrier(count)

    def work(number: int) -> T:
        try:
            connection.ensure_connection()
            start.wait(10)
            return action(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


@contextmanager
def beside(action: Callable[[], object]) -> Generator[threading.Thread]:
    """Runs `action` in a thread with a connection of its own while the block runs, and waits for its end."""

    def work() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield thread
    thread.join(_STOP_SECONDS)
    assert not thread.is_alive(), "the thread did not end"


def end_other_backends() -> int:
    """Terminates every other connection to this database, as a failing server would; how many is returned."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


@contextmanager
def draining() -> Generator[None]:
    """The process is stopping while the block runs; the flag has no way back outside of tests."""
    drain.begin()
    try:
        yield
    finally:
        end_draining()


def end_draining() -> None:
    """Makes the drain flag of this process new."""
    vars(drain).update(vars(type(drain)()))


class _Worker(TestWorkController):
    """Closes the connections of its thread, which pytest would find open."""

    def start(self) -> None:
        try:
            super().start()
        finally:
            connections.close_all()


@contextmanager
def running_worker() -> Generator[None]:
    """A real worker that takes from the real queues, in a thread of this process."""
    with start_worker(
        current_app, pool="solo", perform_ping_check=False, WorkController=_Worker, shutdown_timeout=_STOP_SECONDS
    ):
        yield


def declare_queues() -> None:
    """Binds the queues in an emptied Redis, as a starting worker does."""
    with current_app.connection_for_write() as broker:
        for queue in current_app.amqp.queues.values():
            queue(broker.default_channel).declare()


def send(stamp: Stamp, task: str, **kwargs: Any) -> None:
    """One stamped message to the queue `schedules`."""
    publish(current_app, [Order(stamp, task, kwargs=kwargs, options={"queue": "schedules"})])


def unfinished_messages() -> int:
    """How many messages wait, are held by a worker, or wait there for their time."""
    redis = client()
    return sum(int(redis.llen(queue)) for queue in QUEUES) + int(redis.hlen("unacked"))


def wait_until_settled(timeout: float = 20) -> None:
    """Returns once no message is left; one look is not enough, a message taken is for a moment in neither place."""
    quiet = 0

    def is_quiet() -> bool:
        nonlocal quiet
        quiet = 0 if unfinished_messages() else quiet + 1
        return quiet > _LOOKS

    wait_for(is_quiet, what="all messages to be settled", timeout=timeout)


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a queue: its id, its task, its stamp's fields and its keyword arguments."""

    id: str
    task: str
    stamp: dict[str, Any]
    kwargs: dict[str, Any]


def messages_in(queue: str) -> list[Message]:
    """The messages that wait in a queue, oldest first."""
    raw = [json.loads(text) for text in reversed(client().lrange(queue, 0, -1))]
    return [_message(fields) for fields in raw]


def _message(fields: dict[str, Any]) -> Message:
    headers = fields["headers"]
    _args, kwargs, _embed = json.loads(base64.b64decode(fields["body"]))
    return Message(headers["id"], headers["task"], headers["slotbeat"], kwargs)
