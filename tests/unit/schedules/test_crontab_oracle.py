"""Crontabs against a plain walk over every minute: thirty zones, around every clock change of 2025 to 2027."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings

from tests.support.clock_changes import CHANGING, FIRST, LAST, ZONES, Change, changes_of
from tests.support.generated import changes, crontabs, instants, zones
from tests.support.oracle import Spelled, oracle
from tests.support.rules import between, utc

AROUND, CLOSE = timedelta(hours=30), timedelta(hours=3)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


def _all(count: int) -> frozenset[int]:
    return frozenset(range(count))


def _every(text: str, minutes: frozenset[int], hours: frozenset[int], *, fixed: bool, **rest: object) -> Spelled:
    return Spelled(text, minutes, hours, _all(7), fixed, **rest)  # type: ignore[arg-type] # days, months, seconds


# One of each form whose hours meet the changes, which come between 22:00 and 04:00. The first few fire often.
FORMS = [
    _every("* * * * *", _all(60), _all(24), fixed=False),
    _every("* 1,2 * * *", _all(60), frozenset({1, 2}), fixed=True),
    _every("15 * * * *", frozenset({15}), _all(24), fixed=False, seconds_text="*/25", seconds=frozenset({0, 25, 50})),
    _every("0 * * * *", frozenset({0}), _all(24), fixed=False),
    _every("45 */2 * * *", frozenset({45}), frozenset(range(0, 24, 2)), fixed=False),
    _every("*/20 */3,1 * * *", frozenset({0, 20, 40}), frozenset({*range(0, 24, 3), 1}), fixed=False),
    _every("0 0 * * *", frozenset({0}), frozenset({0}), fixed=True),
    _every("30 0-3 * * *", frozenset({30}), frozenset({0, 1, 2, 3}), fixed=True),
    _every("15 1,*/3 * * *", frozenset({15}), frozenset({1, *range(0, 24, 3)}), fixed=True),
    _every("*/15 2 * * *", frozenset({0, 15, 30, 45}), frozenset({2}), fixed=True),
    _every("59-1 22-3/2 * * *", frozenset({59, 0, 1}), frozenset({22, 0, 2}), fixed=True),
    _every("0 0-23 * * *", frozenset({0}), _all(24), fixed=True),
    _every("15 0-3 * * *", frozenset({15}), _all(4), fixed=True, seconds_text="10,40", seconds=frozenset({10, 40})),
    Spelled("30 23-2 * * sun", frozenset({30}), frozenset({23, 0, 1, 2}), frozenset({0}), fixed_hour=True),
    Spelled("*/30 * * * 6,7", frozenset({0, 30}), _all(24), frozenset({6, 0}), fixed_hour=False),
]
OFTEN = 3


def _check(spelled: Spelled, zone: str, start: datetime, end: datetime) -> None:
    """From fire time to fire time forwards and backwards; then from instants of every kind, most near the middle."""
    expected = oracle(spelled, ZoneInfo(zone), start, end)
    rule = spelled.rule(zone)
    assert between(rule, start - SECOND, end) == expected
    back: list[datetime] = []
    while (fire_time := rule.previous_before(back[-1] if back else end + SECOND)) and fire_time >= start:
        back.append(fire_time)
    assert back[::-1] == expected
    for instant in _asked(expected, start, end):
        ahead, behind = bisect_right(expected, instant), bisect_left(expected, instant)
        assert rule.matches(instant) == (ahead > behind)
        assert ahead == len(expected) or rule.next_after(instant) == expected[ahead]
        assert behind == 0 or rule.previous_before(instant) == expected[behind - 1]


def _asked(expected: Sequence[datetime], start: datetime, end: datetime) -> list[datetime]:
    chance = random.Random(len(expected))  # noqa: S311 no secret, always the same
    middle = start + (end - start) / 2
    near = [middle + timedelta(seconds=chance.randint(-9000, 9000), microseconds=n % 2) for n in range(10)]
    some = chance.sample(expected, min(6, len(expected)))
    asked = [*near, middle - SECOND, middle, *(instant + n * SECOND for instant in some for n in (-1, 0, 1))]
    return [instant for instant in asked if start <= instant <= end]


@pytest.mark.parametrize("zone", ZONES)
def test_around_every_change_each_form_fires_as_a_walk_over_every_minute_does(zone: str) -> None:
    """Three changes see all forms; the two of a year are of both kinds."""
    moments = [change.at for change in changes_of(zone)] or [utc("2026-06-15T22:00")] * 3
    for number, moment in enumerate(moments):
        turn = number // 2 if len(moments) > 3 else number
        often, rarely = FORMS[:OFTEN], FORMS[OFTEN:]
        _check(often[turn % 3], zone, moment - CLOSE, moment + CLOSE)
        for spelled in rarely[turn % 3 :: 3]:
            _check(spelled, zone, moment - AROUND, moment + AROUND)


def _length(spelled: Spelled) -> timedelta:
    """How long a walk shows enough and takes no more than a few hundred fire times."""
    a_day = len(spelled.seconds) * len(spelled.minutes) * len(spelled.hours)
    assume(a_day <= 2000)
    return AROUND if a_day <= 100 else CLOSE


@settings(max_examples=60)
@given(spelled=crontabs(dense=True), change=changes)
def test_around_any_change_any_crontab_fires_as_a_walk_does(spelled: Spelled, change: Change) -> None:
    _check(spelled, change.zone, change.at - _length(spelled), change.at + _length(spelled))


@settings(max_examples=30)
@given(spelled=crontabs(), zone=zones, instant=instants)
def test_at_any_time_any_crontab_fires_as_a_walk_does(spelled: Spelled, zone: str, instant: datetime) -> None:
    start = instant.replace(second=0, microsecond=0)
    _check(spelled, zone, start, start + 2 * _length(spelled))


WEEKS = [utc("2025-03-01") + timedelta(weeks=week) for week in range(105)]
SPARSE = [
    ("America/Santiago", Spelled("0 0 * * *", frozenset({0}), frozenset({0}), _all(7), fixed_hour=True)),
    ("America/Santiago", Spelled("*/7 23,0 * nov-mar/2 *", frozenset(range(0, 60, 7)), frozenset({23, 0}), _all(7),
                                 fixed_hour=True, months=frozenset({11, 1, 3}))),
    ("Australia/Lord_Howe", Spelled("30 */6 29-2 * mon-fri", frozenset({30}), frozenset({0, 6, 12, 18}),
                                    frozenset(range(1, 6)), fixed_hour=False, days=frozenset({29, 30, 31, 1, 2}))),
    ("Australia/Lord_Howe", Spelled("0 * * * *", frozenset({0}), _all(24), _all(7), fixed_hour=False,
                                    month_day="last weekday")),
]  # fmt: skip


@pytest.mark.parametrize("zone", ["America/Santiago", "Australia/Lord_Howe"])
def test_the_count_over_two_years_is_that_of_a_walk_over_every_minute(zone: str) -> None:
    forms = [spelled for place, spelled in SPARSE if place == zone]
    walked = dict.fromkeys(forms, 0)
    for start in WEEKS[:-1]:
        for spelled in forms:
            walked[spelled] += len(oracle(spelled, ZoneInfo(zone), start, start + timedelta(weeks=1) - MINUTE))
    for spelled in forms:
        found = between(spelled.rule(zone), WEEKS[0] - SECOND, WEEKS[-1] - SECOND)
        assert len(found) == walked[spelled] > 100


def test_the_zones_are_many_and_their_changes_are_of_every_size() -> None:
    """So that new zone data cannot quietly take the sense from these tests."""
    found = [change for zone in CHANGING for change in changes_of(zone)]
    assert len(ZONES) >= 25
    assert len(found) > 100
    assert {abs(change.shift) for change in found} >= {timedelta(minutes=minutes) for minutes in (30, 60, 120)}
    assert all(FIRST <= change.at < LAST for change in found)
