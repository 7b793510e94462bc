"""Two runs of one schedule and account are never both running, whoever asks and however many ask at once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from schedules.stamp import Overlap
from tests.support.workers import AT, acquired, expire, stamp_of, together
from workers import lease as leases
from workers.identity import Identity
from workers.lease import HeldLease, Refusal, Refused
from workers.models import Lease, LeaseState

pytestmark = pytest.mark.django_db(transaction=True)

EARLIER, LATER = (Identity.of(stamp_of(at=AT + timedelta(minutes=minute), account="acme")) for minute in (0, 1))


def test_a_later_run_is_refused_and_told_whose_run_is_in_the_way() -> None:
    acquired(EARLIER, worker="w1")
    refused = leases.acquire(LATER, 60, "w2")
    assert isinstance(refused, Refused)
    assert (refused.why, refused.holder) == (Refusal.OVERLAP, EARLIER.run_key)
    assert not Lease.objects.filter(run_key=LATER.run_key).exists()


def test_other_accounts_and_schedules_are_not_in_the_way() -> None:
    acquired(EARLIER)
    acquired(stamp_of(at=AT, account="bolt"))
    acquired(stamp_of("bids", account="acme"))
    assert Lease.objects.filter(state=LeaseState.RUNNING).count() == 3


def test_a_later_run_goes_when_the_earlier_has_ended() -> None:
    for end in (leases.complete, leases.release, lambda lease: leases.fail(lease, "no luck")):
        Lease.objects.all().delete()
        end(acquired(EARLIER))
        assert isinstance(leases.acquire(LATER, 60, "w2"), HeldLease)


def test_one_of_many_slots_runs() -> None:
    slots = [Identity.of(stamp_of(at=AT + timedelta(minutes=minute), account="acme")) for minute in range(8)]
    outcomes = together(8, lambda number: leases.acquire(slots[number], 60, f"w{number}"))
    assert sum(isinstance(outcome, HeldLease) for outcome in outcomes) == 1
    assert Lease.objects.filter(state=LeaseState.RUNNING).count() == 1
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert {outcome.why for outcome in refused} <= {Refusal.OVERLAP, Refusal.BUSY}


def test_one_of_many_slots_is_taken_over_when_all_had_failed() -> None:
    slots = [Identity.of(stamp_of(at=AT + timedelta(minutes=minute), account="acme")) for minute in range(8)]
    for slot in slots:
        leases.fail(acquired(slot), "no luck")
    outcomes = together(8, lambda number: leases.acquire(slots[number], 60, f"w{number}"))
    assert sum(isinstance(outcome, HeldLease) for outcome in outcomes) == 1
    assert Lease.objects.filter(state=LeaseState.RUNNING).count() == 1


def test_an_expired_rival_gives_way_and_has_no_say_any_more() -> None:
    rival = acquired(EARLIER)
    expire(rival)
    outcomes = together(8, lambda number: leases.acquire(LATER, 60, f"w{number}"))
    assert sum(isinstance(outcome, HeldLease) for outcome in outcomes) == 1
    assert (Lease.objects.get(pk=rival.id).state, Lease.objects.get(pk=rival.id).error) == (
        LeaseState.FAIL,
        "its lease expired",
    )
    assert not leases.heartbeat(rival)
    assert not leases.complete(rival)


def test_allow_all_has_no_overlap_key_and_runs_side_by_side() -> None:
    slots = [stamp_of(at=AT + timedelta(minutes=minute), overlap=Overlap.ALLOW_ALL) for minute in range(4)]
    outcomes = together(4, lambda number: leases.acquire(Identity.of(slots[number]), 60, "w"))
    assert all(isinstance(outcome, HeldLease) for outcome in outcomes)
    assert set(Lease.objects.values_list("overlap_key", flat=True)) == {None}


def test_a_run_that_expires_while_it_is_looked_at_is_not_taken_for_its_own_rival() -> None:
    """The lease runs out between the statement that ends expired rivals and the one that looks for live ones."""
    held = acquired(EARLIER, worker="dying")
    expired: list[bool] = []

    def expire_before_the_look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not expired and "EXTRACT(EPOCH" in sql:
            expired.append(True)
            expire(held)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(expire_before_the_look):
        outcome = leases.acquire(EARLIER, 60, "w2")
    assert expired
    assert isinstance(outcome, HeldLease) or outcome.why is Refusal.BUSY, f"its message would be given up: {outcome}"
