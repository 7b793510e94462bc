"""A held lease is prolonged beside the work; a lost one is noticed, a failing database is outlasted."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from datetime import datetime

import pytest
from django.db import connection, transaction

from tests.support.waiting import wait_for
from tests.support.workers import acquired, end_other_backends, expire, stamp_of
from workers import lease as leases
from workers.heartbeat import Heartbeats, heartbeats
from workers.identity import Identity
from workers.lease import HeldLease, LeaseLost
from workers.models import Lease
from workers.run import Run

pytestmark = pytest.mark.django_db(transaction=True)

RUN = Identity("nightly", "2026-03-10")


def end_of(lease: HeldLease) -> datetime:
    end = Lease.objects.get(pk=lease.id).expires_at
    assert end is not None
    return end


def wait_for_prolonging(lease: HeldLease) -> None:
    before = end_of(lease)
    wait_for(lambda: end_of(lease) > before, what="the lease to be prolonged")


def test_a_lease_outlives_its_length_while_it_is_kept() -> None:
    asked_at = time.monotonic()
    lease = acquired(RUN, seconds=1.5)
    first_end = end_of(lease)
    with heartbeats().keep(lease, asked_at) as kept:
        wait_for(
            lambda: Lease.objects.filter(pk=lease.id, heartbeat_at__gt=first_end).exists(),
            what="a heartbeat after the lease's first end",
        )
        assert not kept.lost
        assert kept.trusted_until > asked_at + 1.5
    assert leases.complete(lease)


def test_it_is_not_prolonged_any_more_once_the_block_is_left() -> None:
    keeper = Heartbeats()
    lease, other = acquired(RUN, seconds=1.5), acquired(Identity("nightly", "2"), seconds=1.5)
    with keeper.keep(other, time.monotonic()):
        with keeper.keep(lease, time.monotonic()):
            wait_for_prolonging(lease)
        end = end_of(lease)
        wait_for_prolonging(other)
        wait_for_prolonging(other)
    assert end_of(lease) == end


def test_a_lease_that_another_has_is_noticed() -> None:
    lease = acquired(RUN, seconds=1.5)
    with heartbeats().keep(lease, time.monotonic()) as kept:
        expire(lease)
        taken = acquired(RUN, seconds=60, worker="w2")
        wait_for(lambda: kept.lost, what="the loss to be noticed")
    assert Lease.objects.get(pk=taken.id).owner == taken.owner


def test_a_terminated_backend_is_outlasted() -> None:
    keeper = Heartbeats()
    lease = acquired(RUN, seconds=3)
    with keeper.keep(lease, time.monotonic()) as kept:
        wait_for_prolonging(lease)
        assert end_other_backends() >= 1
        wait_for_prolonging(lease)
        assert not kept.lost


def test_a_lease_that_cannot_be_prolonged_in_time_is_given_up_before_another_may_have_it() -> None:
    """The row is locked by somebody else, so that every heartbeat fails."""
    lease = acquired(RUN, seconds=1.5)
    with heartbeats().keep(lease, time.monotonic()) as kept:
        end = end_of(lease)
        with transaction.atomic():
            Lease.objects.select_for_update().get(pk=lease.id)
            wait_for(lambda: kept.lost, what="the lease to be given up")
        assert end_of(lease) == end


def test_a_heartbeat_that_hangs_does_not_hide_that_the_lease_may_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers nothing any more holds the heartbeat thread; the run must see the end of its trust."""
    monkeypatch.setattr("workers.heartbeat._LOCK_TIMEOUT", "SELECT pg_advisory_xact_lock(7)")
    lease = acquired(RUN, seconds=1.2)
    with server_that_hangs(), Heartbeats().keep(lease, time.monotonic()) as kept:
        wait_for(lambda: time.monotonic() > kept.trusted_until, what="the end of the trust in the lease")
        with pytest.raises(LeaseLost):
            Run(stamp_of(), kept).checkpoint()
    wait_for(lambda: not waiting_for_the_lock(), what="the heartbeat thread to be free again")


@contextmanager
def server_that_hangs() -> Generator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(7)")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(7)")


def waiting_for_the_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        return bool(cursor.fetchone()[0])


def test_many_leases_of_one_process_are_all_kept() -> None:
    keeper = Heartbeats()
    held = [acquired(Identity("nightly", str(number)), seconds=1.5) for number in range(5)]
    with ExitStack() as blocks:
        kept = [blocks.enter_context(keeper.keep(lease, time.monotonic())) for lease in held]
        for lease in held:
            wait_for_prolonging(lease)
        assert not any(one.lost for one in kept)
