"""The guard on a real server: one winner a slot, claims that run out, marks that hold back, nothing without an end."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from schedules.conf import Conf
from schedules.guard import Claim, Guard, Verdict
from schedules.redis import client
from schedules.stamp import Overlap, Stamp
from tests.support.schedules import NINE, guard, seconds, stamp
from tests.support.waiting import wait_for

SHORT = 0.15


@pytest.fixture(autouse=True)
def nothing_is_left_without_an_end() -> Iterator[None]:
    """B36: whatever a test did, every key it leaves runs out."""
    yield
    for key in client().scan_iter():
        assert client().pttl(key) > 0, f"{key} never ends"


def _verdicts(claims: list[Claim]) -> list[Verdict]:
    return [claim.verdict for claim in claims]


def _gated(at: int = 0, schedule: str = "a", *, lease_seconds: int = 900) -> Stamp:
    return stamp(schedule, NINE + seconds(at), overlap=Overlap.SKIP, lease_seconds=lease_seconds)


def _life(key: str | bytes) -> float:
    return client().pttl(key) / 1000


def test_a_free_slot_is_won_and_another_owner_is_held_off() -> None:
    assert guard("beat-a").claim([stamp()]) == [Claim(Verdict.WON)]
    assert guard("beat-b").claim([stamp()]) == [Claim(Verdict.HELD)]


def test_a_claim_is_short_and_a_confirmed_slot_lives_long() -> None:
    mine = guard(claim_seconds=3.0, confirm_seconds=1000.0)
    mine.claim([stamp()])
    (key,) = client().keys()
    assert 0 < _life(key) <= 3
    assert mine.confirm([stamp()]) == 1
    assert 990 < _life(key) <= 1000
    assert _verdicts(mine.claim([stamp()])) == _verdicts(guard("beat-b").claim([stamp()])) == [Verdict.SENT]


def test_an_owner_may_claim_its_own_slot_again() -> None:
    mine = guard()
    assert _verdicts(mine.claim([stamp()]) + mine.claim([stamp()])) == [Verdict.WON, Verdict.WON]


def test_a_released_slot_is_free_at_once() -> None:
    guard("beat-a").claim([stamp(), _gated()])
    guard("beat-a").release([stamp(), _gated()])
    assert client().keys() == []


def test_only_the_owner_releases_and_confirms() -> None:
    guard("beat-a").claim([stamp()])
    guard("beat-b").release([stamp()])
    assert guard("beat-b").confirm([stamp()]) == 0
    assert _verdicts(guard("beat-c").claim([stamp()])) == [Verdict.HELD]
    assert guard("beat-a").confirm([stamp()]) == 1


def test_a_dead_owners_claim_is_retaken_after_its_life() -> None:
    guard("dead", claim_seconds=SHORT).claim([_gated()])
    alive = guard("alive")
    wait_for(lambda: alive.claim([_gated()])[0].verdict is Verdict.WON, timeout=2, what="the claim to run out")


def test_a_paused_owner_does_not_overwrite_the_one_that_retook_its_slot() -> None:
    paused = guard("paused", claim_seconds=SHORT)
    paused.claim([stamp()])
    alive = guard("alive")
    wait_for(lambda: alive.claim([stamp()])[0].verdict is Verdict.WON, timeout=2, what="the claim to run out")
    assert paused.confirm([stamp()]) == 0
    paused.release([stamp()])
    assert _verdicts(guard("third").claim([stamp()])) == [Verdict.HELD]
    assert alive.confirm([stamp()]) == 1


def test_a_claim_that_ran_out_while_publishing_is_still_confirmed_if_nobody_took_it() -> None:
    slow = guard("slow", claim_seconds=SHORT)
    slow.claim([stamp()])
    wait_for(lambda: client().keys() == [], timeout=2, what="the claim to run out")
    assert slow.confirm([stamp()]) == 1
    assert _verdicts(guard("other").claim([stamp()])) == [Verdict.SENT]


def test_an_unfinished_run_holds_the_next_slot_back_and_is_named() -> None:
    mine = guard()
    mine.claim([_gated(0)])
    mine.confirm([_gated(0)])
    assert mine.claim([_gated(10)]) == [Claim(Verdict.OVERLAP, _gated(0).slot_id)]


def test_a_skipped_slot_stays_skipped_for_every_beat_also_after_the_run_has_ended() -> None:
    mine = guard()
    mine.claim([_gated(0)])
    mine.confirm([_gated(0)])
    mine.claim([_gated(10)])
    mine.clear_mark(_gated(0))
    assert guard("beat-b").claim([_gated(10)]) == [Claim(Verdict.OVERLAP, _gated(0).slot_id)]
    assert _verdicts(guard("beat-b").claim([_gated(20)])) == [Verdict.WON]


def test_a_schedule_that_allows_overlap_is_not_held_back() -> None:
    mine = guard()
    assert _verdicts(mine.claim([stamp(), stamp(at=NINE + seconds(10))])) == [Verdict.WON, Verdict.WON]


def test_accounts_and_schedules_do_not_hold_each_other_back() -> None:
    stamps = [
        stamp("a", account="x", overlap=Overlap.SKIP),
        stamp("a", account="y", overlap=Overlap.SKIP),
        stamp("b", account="x", overlap=Overlap.SKIP),
        stamp("a", overlap=Overlap.SKIP),
    ]
    assert set(_verdicts(guard().claim(stamps))) == {Verdict.WON}


def test_a_mark_lives_as_long_as_a_claim_and_once_confirmed_as_long_as_the_lease() -> None:
    mine = guard(claim_seconds=3.0)
    mine.claim([_gated(lease_seconds=60)])
    (mark,) = client().keys("*:mark:*")
    assert 0 < _life(mark) <= 3
    mine.confirm([_gated(lease_seconds=60)])
    assert 55 < _life(mark) <= 60


def test_a_mark_that_is_another_runs_is_left_alone() -> None:
    mine = guard()
    mine.claim([_gated(0)])
    mine.clear_mark(_gated(10))
    assert _verdicts(mine.claim([_gated(20)])) == [Verdict.OVERLAP]
    mine.clear_mark(_gated(0))
    assert _verdicts(mine.claim([_gated(30)])) == [Verdict.WON]


def test_a_mark_of_a_run_that_never_ended_runs_out() -> None:
    mine = guard()
    mine.claim([_gated(0, lease_seconds=1)])
    mine.confirm([_gated(0, lease_seconds=1)])
    (mark,) = client().keys("*:mark:*")
    client().pexpire(mark, 50)
    wait_for(lambda: client().keys("*:mark:*") == [], timeout=2, what="the mark to run out")
    assert _verdicts(mine.claim([_gated(10)])) == [Verdict.WON]


def test_a_beat_may_not_release_the_mark_of_the_beat_that_retook_its_slot() -> None:
    paused = guard("paused", claim_seconds=SHORT)
    paused.claim([_gated(0)])
    alive = guard("alive")
    wait_for(lambda: alive.claim([_gated(0)])[0].verdict is Verdict.WON, timeout=2, what="the claim to run out")
    alive.confirm([_gated(0)])
    paused.release([_gated(0)])
    assert _verdicts(alive.claim([_gated(10)])) == [Verdict.OVERLAP]


def test_one_slot_asked_for_twice_in_one_round_trip_is_won_once() -> None:
    """Two dispatches in one batch would put the message into the queue twice."""
    assert _verdicts(guard().claim([stamp(), stamp()])).count(Verdict.WON) == 1


def test_nothing_to_ask_costs_no_round_trip() -> None:
    closed = Guard(client().from_url("redis://127.0.0.1:1/0"), "beat-a", Conf())
    assert closed.claim([]) == []
    assert closed.confirm([]) == 0
    closed.release([])


def test_verdicts_come_in_the_order_of_the_question() -> None:
    mine, other = guard(), guard("beat-b")
    other.claim([stamp("held")])
    other.claim([stamp("sent")])
    other.confirm([stamp("sent")])
    asked = [stamp("sent"), stamp("free:%"), stamp("held"), _gated(0, "gated"), _gated(10, "gated")]
    expected = [Verdict.SENT, Verdict.WON, Verdict.HELD, Verdict.WON, Verdict.OVERLAP]
    assert _verdicts(mine.claim(asked)) == expected


def test_names_with_colons_do_not_meet() -> None:
    assert set(_verdicts(guard().claim([_gated(0, "a:b"), stamp("a", account="b", overlap=Overlap.SKIP)]))) == {
        Verdict.WON
    }
    assert len(client().keys()) == 4


def test_eight_beats_race_for_200_slots_and_each_is_won_once() -> None:
    stamps = [stamp(f"s{n % 20}", NINE + timedelta(seconds=n)) for n in range(200)]
    gate = threading.Barrier(8)

    def race(beat: int) -> list[str]:
        mine = guard(f"beat-{beat}", claim_seconds=60.0)
        begin = beat * 25
        gate.wait(10)
        asked = stamps[begin:] + stamps[:begin]
        claims = [claim for start in range(0, 200, 10) for claim in mine.claim(asked[start : start + 10])]
        return [each.slot_id for each, claim in zip(asked, claims, strict=True) if claim.verdict is Verdict.WON]

    with ThreadPoolExecutor(8) as pool:
        won = Counter(slot for slots in pool.map(race, range(8)) for slot in slots)
    assert won == Counter(each.slot_id for each in stamps)
