"""The ledger while PostgreSQL is away, and with beats and workers writing the same rows at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import connection

from schedules.ledger import Entry, Ledger, note_run
from schedules.models import Slot, SlotState
from tests.support.schedules import NINE, seconds, stamp

pytestmark = pytest.mark.django_db(transaction=True)


def _sent(n: int = 0) -> Entry:
    return Entry(stamp(at=NINE + seconds(n)), SlotState.DISPATCHED, at=NINE + seconds(n))


@pytest.fixture
def other_session() -> Iterator[psycopg.Connection]:
    """A session of PostgreSQL besides Django's."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as session:
        yield session


def _backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(pid)


def test_a_lost_connection_keeps_every_row_and_the_next_flush_writes_them(other_session: psycopg.Connection) -> None:
    ledger = Ledger("beat-a", capacity=10)
    ledger.add([_sent(0), _sent(1)])
    other_session.execute("SELECT pg_terminate_backend(%s, 5000)", [_backend()])
    assert ledger.flush() is False
    ledger.add([_sent(2)])
    assert ledger.flush() is True
    assert Slot.objects.count() == 3


def test_a_refused_write_is_told_with_the_number_of_rows_that_wait(
    other_session: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Ledger("beat-a", capacity=10)
    ledger.add([_sent(0), _sent(1)])
    other_session.execute("SELECT pg_terminate_backend(%s, 5000)", [_backend()])
    ledger.flush()
    assert "ledger not written, 2 rows wait" in caplog.text
    assert ledger.flush() is True


def test_beyond_its_capacity_the_oldest_rows_go_and_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    ledger = Ledger("beat-a", capacity=3)
    ledger.add(_sent(n) for n in range(5))
    assert "2 oldest rows given up" in caplog.text
    assert ledger.flush() is True
    kept = list(Slot.objects.order_by("scheduled_for").values_list("scheduled_for", flat=True))
    assert kept == [NINE + seconds(n) for n in (2, 3, 4)]


def _together(tasks: list[Callable[[], None]]) -> None:
    gate = threading.Barrier(len(tasks))

    def run(task: Callable[[], None]) -> None:
        gate.wait(10)
        try:
            task()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        for outcome in [pool.submit(run, task) for task in tasks]:
            outcome.result()


def test_beats_that_write_the_same_slots_at_once_do_not_block_each_other_for_ever() -> None:
    def beat(name: str, numbers: list[int]) -> None:
        ledger = Ledger(name, capacity=1000)
        ledger.add(_sent(n) for n in numbers)
        while not ledger.flush():
            pass

    up, down = list(range(200)), list(reversed(range(200)))
    _together([lambda: beat("beat-a", up), lambda: beat("beat-b", down), lambda: beat("beat-c", up)])
    assert set(Slot.objects.values_list("dispatches", flat=True)) == {3}
    assert Slot.objects.count() == 200


def test_a_worker_that_begins_while_the_beat_writes_is_never_refused() -> None:
    """The worker's word is part of its run: an error here would fail the run."""
    rounds = 60

    def beat() -> None:
        ledger = Ledger("beat-a", capacity=1000)
        for n in range(rounds):
            ledger.add([_sent(n)])
            ledger.flush()
        while not ledger.flush():
            pass

    def worker() -> None:
        for n in range(rounds):
            note_run(_sent(n).stamp, SlotState.RUNNING, started_at=NINE)
            note_run(_sent(n).stamp, SlotState.DONE, finished_at=NINE)

    _together([beat, worker, worker])
    assert set(Slot.objects.values_list("state", "dispatches")) == {(SlotState.DONE, 1)}
    assert Slot.objects.count() == rounds
