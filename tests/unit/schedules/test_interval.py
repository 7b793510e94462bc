"""Intervals: equal steps from an anchor, whatever a process did."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.timing.interval import EPOCH, SHORTEST, Interval
from schedules.timing.rule import InvalidRule
from tests.support.rules import between, first_after, take, utc, utcs

INSTANTS = st.timedeltas(timedelta(days=-9000), timedelta(days=40_000)).map(lambda since: EPOCH + since)
STEPS = st.timedeltas(SHORTEST, timedelta(days=40))


def test_the_epoch_is_the_anchor_unless_another_is_given() -> None:
    assert Interval(timedelta(minutes=7)).next_after(utc("2026-03-10T09:00:00")) == utc("2026-03-10T09:02:00")
    assert (utc("2026-03-10T09:02:00") - EPOCH) % timedelta(minutes=7) == timedelta(0)


def test_before_the_anchor_the_anchor_itself_is_next() -> None:
    anchor = utc("2026-03-10T01:00:00")
    rule = Interval(timedelta(hours=24), anchor)
    assert rule.next_after(anchor - timedelta(days=9)) == anchor
    assert rule.next_after(anchor) == utc("2026-03-11T01:00:00")


def test_the_shortest_step_is_100_milliseconds() -> None:
    start = utc("2026-03-10T09:00:00")
    assert len(between(Interval(timedelta(milliseconds=100)), start, start + timedelta(seconds=1))) == 10


@pytest.mark.parametrize("microseconds", [99_999, 1, 0, -1_000_000])
def test_a_shorter_step_is_refused(microseconds: int) -> None:
    """B13: a sub-second interval is refused, never rounded to zero."""
    with pytest.raises(InvalidRule, match="100 milliseconds"):
        Interval(timedelta(microseconds=microseconds))


def test_a_step_over_a_hundred_years_is_refused() -> None:
    with pytest.raises(InvalidRule, match="the longest interval is 100 years"):
        Interval(timedelta(days=36_526))


def test_a_multiple_past_the_last_year_is_no_fire_time() -> None:
    assert Interval(timedelta(days=36_525), utc("9950-01-01T00:00")).next_after(utc("9960-01-01T00:00")) is None


def test_b12_the_repeated_hour_of_los_angeles_changes_nothing() -> None:
    fired = between(
        Interval(timedelta(minutes=15), utc("2022-11-06T08:18")), utc("2022-11-06T08:18"), utc("2022-11-06T10:20")
    )
    clocks = ("08:33", "08:48", "09:03", "09:18", "09:33", "09:48", "10:03", "10:18")
    assert fired == [utc(f"2022-11-06T{clock}") for clock in clocks]


def test_b15_lateness_and_manual_runs_do_not_move_the_rhythm() -> None:
    daily = Interval(timedelta(hours=24), utc("2026-03-10T01:00"))
    assert daily.next_after(utc("2026-03-12T11:30")) == utc("2026-03-13T01:00")


def test_b15_thirty_seconds_make_120_slots_an_hour_however_late_each_look_is() -> None:
    rule, fired, now = Interval(timedelta(seconds=30)), [], utc("2026-03-10T09:00:00")
    while (fire_time := first_after(rule, now)) <= utc("2026-03-10T10:00:00"):
        fired.append(fire_time)
        now = fire_time + timedelta(milliseconds=40)
    assert len(fired) == 120
    assert all(instant.second in (0, 30) and instant.microsecond == 0 for instant in fired)


def test_b26b_a_start_time_is_the_first_slot_and_the_anchor() -> None:
    rule = Interval(timedelta(hours=1), utc("2026-03-10T09:30"))
    expected = utcs("2026-03-10T09:30", "2026-03-10T10:30", "2026-03-10T11:30")
    assert take(rule, utc("2026-03-10T09:00"), 3) == expected


@given(every=STEPS, anchor=INSTANTS, instant=INSTANTS)
def test_next_is_the_first_multiple_after_the_instant(every: timedelta, anchor: datetime, instant: datetime) -> None:
    fire_time = first_after(Interval(every, anchor), instant)
    assert fire_time > instant
    assert fire_time >= anchor
    assert (fire_time - anchor) % every == timedelta(0)
    assert fire_time == anchor or fire_time - every <= instant


@given(every=STEPS, earlier=INSTANTS, later=INSTANTS)
def test_next_is_monotonic(every: timedelta, earlier: datetime, later: datetime) -> None:
    earlier, later = sorted((earlier, later))
    assert first_after(Interval(every), earlier) <= first_after(Interval(every), later)
