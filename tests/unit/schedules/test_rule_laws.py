"""What holds for every rule at every instant: crontabs in every form, intervals, wall intervals, bounds, exclusions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.timing.exclusion import Excluding
from schedules.timing.interval import WallInterval
from schedules.timing.rule import TICK, Bounded, Rule, fire_times
from tests.support.clock_changes import offset
from tests.support.generated import (
    Place,
    bounded_rules,
    cases,
    crontabs,
    excluding_rules,
    places,
    rules,
    wall_intervals,
)
from tests.support.oracle import Spelled
from tests.support.rules import take

Case = tuple[Rule, list[datetime]]
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


@settings(max_examples=150)
@given(case=cases(rules))
def test_next_lies_ahead_and_previous_behind_both_in_utc(case: Case) -> None:
    rule, (instant,) = case
    after, before = rule.next_after(instant), rule.previous_before(instant)
    assert after is None or after > instant
    assert before is None or before < instant
    assert {found.tzinfo for found in (after, before) if found} <= {UTC}


@settings(max_examples=150)
@given(case=cases(rules, 2))
def test_next_and_previous_are_monotonic(case: Case) -> None:
    rule, (earlier, later) = case
    assert (rule.next_after(earlier) or LAST) <= (rule.next_after(later) or LAST)
    assert (rule.previous_before(earlier) or FIRST) <= (rule.previous_before(later) or FIRST)


@settings(max_examples=150)
@given(case=cases(rules))
def test_between_a_fire_time_and_the_one_before_it_there_is_none(case: Case) -> None:
    """So the previous of the next is the last one at or before the instant, and the next of the previous leads on."""
    rule, (instant,) = case
    after, before = rule.next_after(instant), rule.previous_before(instant + TICK)
    assert before is None or before <= instant
    if after is not None:
        assert rule.previous_before(after) == before
    if before is not None:
        assert rule.next_after(before) == after


@settings(max_examples=150)
@given(case=cases(rules))
def test_what_next_and_previous_find_matches_and_what_matches_they_find(case: Case) -> None:
    rule, (instant,) = case
    found = [rule.next_after(instant), rule.previous_before(instant)]
    for fire_time in (each for each in found if each is not None):
        assert rule.matches(fire_time)
        assert rule.next_after(fire_time - TICK) == fire_time == rule.previous_before(fire_time + TICK)
        assert not rule.matches(fire_time + TICK)
        assert not rule.matches(fire_time - TICK)
    for each in (instant, instant.replace(second=0, microsecond=0)):
        assert rule.matches(each) == (rule.next_after(each - TICK) == each)
        assert rule.matches(each) == (rule.previous_before(each + TICK) == each)


@settings(max_examples=120)
@given(case=cases(rules), count=st.integers(0, 12))
def test_the_walk_equals_repeated_next_and_repeated_previous(case: Case, count: int) -> None:
    rule, (after,) = case
    walked = take(rule, after, count)
    until = walked[-1] if walked else after
    assert list(fire_times(rule, after, until)) == walked
    back: list[datetime] = []
    instant: datetime | None = until + TICK
    while instant is not None and (instant := rule.previous_before(instant)) is not None and instant > after:
        back.append(instant)
    assert back[::-1] == walked


def _crontabs(place: Place) -> st.SearchStrategy[tuple[Spelled, str, datetime]]:
    return st.tuples(crontabs(), st.just(place.zone), place.instants)


@settings(max_examples=120)
@given(case=places.flatmap(_crontabs))
def test_what_the_clock_shows_at_a_fire_time_matches_except_at_the_end_of_a_gap(
    case: tuple[Spelled, str, datetime],
) -> None:
    spelled, zone, after = case
    place = ZoneInfo(zone)
    for fire_time in take(spelled.rule(zone), after, 8):
        shown = fire_time.astimezone(place)
        right = spelled.matches(shown.replace(tzinfo=None)) and shown.second in spelled.seconds
        after_a_gap = offset(fire_time, place) > offset(fire_time - TICK, place)
        assert right or (after_a_gap and spelled.fixed_hour)
        assert fire_time.microsecond == 0


@settings(max_examples=120)
@given(case=cases(wall_intervals))
def test_a_wall_interval_shows_its_time_of_day_every_so_many_days_except_at_a_gap(
    case: tuple[WallInterval, list[datetime]],
) -> None:
    rule, (after,) = case
    anchor = rule.anchor.astimezone(rule.zone).replace(tzinfo=None)
    for fire_time in take(rule, after, 8):
        assert fire_time >= rule.anchor
        shown = fire_time.astimezone(rule.zone).replace(tzinfo=None)
        if offset(fire_time, rule.zone) <= offset(fire_time - TICK, rule.zone):
            assert shown.time() == anchor.time()
            assert (shown.date() - anchor.date()).days % rule.days == 0


@settings(max_examples=120)
@given(case=cases(excluding_rules))
def test_an_exclusion_takes_the_fire_times_of_its_dates_and_no_other(case: tuple[Excluding, list[datetime]]) -> None:
    rule, (after,) = case
    remaining = [
        fire_time
        for fire_time in islice(fire_times(rule.rule, after, after + timedelta(days=60)), 200)
        if fire_time.astimezone(rule.zone).date() not in rule.dates
    ]
    assert take(rule, after, len(remaining)) == remaining


@settings(max_examples=120)
@given(case=cases(bounded_rules))
def test_bounds_take_what_lies_outside_and_nothing_else(case: tuple[Bounded, list[datetime]]) -> None:
    rule, (after,) = case
    start, end = rule.start or after, rule.end or LAST
    inside = take(rule.rule, max(after, start - TICK), 8)
    assert take(rule, after, 8) == [fire_time for fire_time in inside if start <= fire_time < end]
