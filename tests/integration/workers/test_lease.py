"""The right to one run: one of many wins it, it can be taken over once, and an old owner has no say any more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import OperationalError, transaction

from tests.support.workers import AT, acquired, expire, stamp_of, together
from workers import lease as leases
from workers.identity import Identity
from workers.lease import HeldLease, LeaseLost, Refusal, Refused
from workers.models import Kind, Lease, LeaseState

pytestmark = pytest.mark.django_db(transaction=True)

RACERS = 8
RUN = Identity("nightly", "2026-03-10")
ONCE = Identity("seed-defaults", kind=Kind.INITIAL)


def row(lease: HeldLease) -> Lease:
    return Lease.objects.get(pk=lease.id)


def winners(outcomes: list[HeldLease | Refused]) -> list[HeldLease]:
    return [outcome for outcome in outcomes if isinstance(outcome, HeldLease)]


def test_a_new_run_is_recorded_with_owner_fence_and_end() -> None:
    lease = acquired(RUN, seconds=60, worker="w-0")
    found = row(lease)
    assert (found.state, found.owner, found.fence, found.attempts) == (LeaseState.RUNNING, lease.owner, 1, 1)
    assert (found.code, found.run_key, found.worker) == ("nightly", "2026-03-10", "w-0")
    assert found.idempotency_key == lease.idempotency_key
    assert found.expires_at is not None
    assert found.acquired_at is not None
    assert found.expires_at - found.acquired_at == timedelta(seconds=60)


@pytest.mark.parametrize("identity", [RUN, ONCE], ids=["schedule", "initial"])
def test_one_of_many_racers_wins(identity: Identity) -> None:
    outcomes = together(RACERS, lambda number: leases.acquire(identity, 60, f"w{number}"))
    (won,) = winners(outcomes)
    losers = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert {loser.why for loser in losers} == {Refusal.BUSY}
    assert {loser.holder for loser in losers} == {row(won).worker}
    assert all(50 < loser.seconds <= 60 for loser in losers)


def test_a_live_run_is_refused_with_holder_and_time() -> None:
    acquired(RUN, seconds=60, worker="w1")
    refused = leases.acquire(RUN, 60, "w2")
    assert isinstance(refused, Refused)
    assert (refused.why, refused.holder) == (Refusal.BUSY, "w1")
    assert 55 < refused.seconds <= 60


def test_a_finished_run_is_refused() -> None:
    lease = acquired(RUN)
    assert leases.complete(lease)
    assert leases.acquire(RUN, 60, "w2") == Refused(Refusal.ENDED)
    assert row(lease).finished_at is not None


def expired() -> HeldLease:
    lease = acquired(RUN, worker="dead")
    expire(lease)
    return lease


def failed() -> HeldLease:
    lease = acquired(RUN, worker="unlucky")
    assert leases.fail(lease, "no luck")
    return lease


@pytest.mark.parametrize("earlier", [expired, failed])
def test_an_expired_or_failed_run_is_claimed_again_by_one_of_many(earlier: Callable[[], HeldLease]) -> None:
    old = earlier()
    (new,) = winners(together(RACERS, lambda number: leases.acquire(RUN, 60, f"w{number}")))
    assert (new.id, new.idempotency_key) == (old.id, old.idempotency_key)
    assert (new.owner != old.owner, new.fence) == (True, old.fence + 1)
    found = row(new)
    assert (found.state, found.attempts, found.error, found.finished_at) == (LeaseState.RUNNING, 2, "", None)


def test_owner_changes_fence_grows_and_key_stays_over_many_claims() -> None:
    claims = []
    for _ in range(5):
        claims.append(acquired(RUN))
        expire(claims[-1])
    assert [claim.fence for claim in claims] == [1, 2, 3, 4, 5]
    assert len({claim.owner for claim in claims}) == 5
    assert len({claim.idempotency_key for claim in claims}) == 1


@pytest.mark.parametrize(
    "act",
    [leases.heartbeat, leases.complete, lambda lease: leases.fail(lease, "late"), leases.release],
    ids=["heartbeat", "complete", "fail", "release"],
)
def test_an_old_owner_has_no_say(act: Callable[[HeldLease], bool]) -> None:
    old = expired()
    new = acquired(RUN, worker="w2")
    before = Lease.objects.filter(pk=new.id).values().get()
    assert act(old) is False
    assert Lease.objects.filter(pk=new.id).values().get() == before


def test_an_owner_with_the_right_token_but_an_old_fence_has_no_say() -> None:
    lease = acquired(RUN)
    Lease.objects.filter(pk=lease.id).update(fence=2)
    assert not leases.heartbeat(lease)
    assert not leases.complete(lease)


def take_over(lease: HeldLease) -> None:
    expire(lease)
    acquired(RUN, worker="w2")


@pytest.mark.parametrize(
    "lost",
    [
        take_over,
        expire,
        leases.complete,
        leases.release,
    ],
    ids=["taken over", "expired", "finished", "given back"],
)
def test_an_owner_without_a_live_lease_cannot_commit(lost: Callable[[HeldLease], object]) -> None:
    lease = acquired(RUN)
    lost(lease)
    with pytest.raises(LeaseLost, match=lease.idempotency_key), transaction.atomic():
        leases.assert_mine(lease)


def test_who_asserts_its_lease_keeps_it_until_its_transaction_ends() -> None:
    lease = acquired(RUN)

    def lock_the_row(_number: int) -> None:
        with transaction.atomic():
            Lease.objects.select_for_update(nowait=True).get(pk=lease.id)

    with transaction.atomic():
        leases.assert_mine(lease)
        with pytest.raises(OperationalError, match="could not obtain lock"):
            together(1, lock_the_row)
    together(1, lock_the_row)


def test_a_release_costs_no_attempt() -> None:
    lease = acquired(RUN)
    assert leases.release(lease)
    assert (row(lease).state, row(lease).attempts) == (LeaseState.FAIL, 0)
    again = acquired(RUN)
    assert (row(again).attempts, again.fence) == (1, 2)


def test_a_heartbeat_prolongs_by_the_databases_clock() -> None:
    lease = acquired(RUN, seconds=60)
    before = row(lease).expires_at
    assert leases.heartbeat(lease)
    after = row(lease)
    assert before is not None
    assert after.expires_at is not None
    assert after.heartbeat_at is not None
    assert before < after.expires_at == after.heartbeat_at + timedelta(seconds=60)


def test_an_initial_run_stays_locked_for_ever_after_success() -> None:
    lease = acquired(ONCE)
    leases.complete(lease)
    expire(lease)
    outcomes = together(RACERS, lambda number: leases.acquire(ONCE, 60, f"w{number}"))
    assert outcomes == [Refused(Refusal.ENDED)] * RACERS


def test_an_initial_run_that_failed_may_be_tried_again() -> None:
    leases.fail(acquired(ONCE), "no luck")
    assert acquired(ONCE).fence == 2


@pytest.mark.parametrize(
    ("kind", "code", "run_key"),
    [
        (Kind.INITIAL, "seed", "2026"),
        (Kind.SCHEDULE, "nightly", ""),
        (Kind.SCHEDULE, "nightly", "  "),
        (Kind.SCHEDULE, " ", "2026"),
        (Kind.INITIAL, "", ""),
        (Kind.SCHEDULE, "n" * 201, "2026"),
    ],
)
def test_an_identity_that_is_none_is_refused(kind: Kind, code: str, run_key: str) -> None:
    with pytest.raises(ValueError, match=r"must have 1 to 200 characters|needs a run key"):
        Identity(code, run_key, kind)


def test_texts_are_trimmed_and_kinds_told_apart() -> None:
    assert Identity(" nightly ", " 2026 ").idempotency_key == Identity("nightly", "2026").idempotency_key
    assert Identity("nightly", "2026").idempotency_key.startswith("v2:")
    keys = {Identity("a", "b:c").idempotency_key, Identity("a:b", "c").idempotency_key}
    assert len(keys | {Identity("a", kind=Kind.INITIAL).idempotency_key}) == 3


@pytest.mark.parametrize("code", ["💡" * 200, "naïve café:2026", 'a"b\\c%s{x}*'])
def test_any_name_can_be_run(code: str) -> None:
    lease = acquired(Identity(code, code))
    assert row(lease).code == code


def test_no_row_runs_without_owner_fence_and_end() -> None:
    acquired(RUN)
    leases.release(acquired(Identity("nightly", "2")))
    expire(acquired(Identity("nightly", "3")))
    acquired(Identity("nightly", "3"))
    running = Lease.objects.filter(state=LeaseState.RUNNING)
    assert running.count() == 2
    assert not running.filter(owner=None).exists()
    assert not running.filter(expires_at=None).exists()
    assert not running.filter(fence=0).exists()


def test_a_skip_records_runs_with_reason_and_detail() -> None:
    stamps = [stamp_of(account=f"a{number}") for number in range(3)]
    leases.skip(stamps, "overlap", ["x", "y", "z"])
    found = Lease.objects.order_by("account")
    assert [(lease.account, lease.state, lease.reason, lease.error) for lease in found] == [
        ("a0", "SKIPPED", "overlap", "x"),
        ("a1", "SKIPPED", "overlap", "y"),
        ("a2", "SKIPPED", "overlap", "z"),
    ]
    assert {lease.scheduled_for for lease in found} == {AT}
    assert leases.acquire(Identity.of(stamps[0]), 60, "w") == Refused(Refusal.ENDED)


def test_a_skip_never_overwrites() -> None:
    running, done, lost = (stamp_of(account=account) for account in ("running", "done", "lost"))
    acquired(running)
    leases.complete(acquired(done))
    leases.fail(acquired(lost), "no luck")
    before = list(Lease.objects.order_by("id").values())
    leases.skip([running, done, lost], "overlap", ["x"] * 3)
    assert list(Lease.objects.order_by("id").values()) == before
