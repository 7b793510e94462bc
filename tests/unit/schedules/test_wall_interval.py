"""Intervals of whole days that follow a clock on the wall: the same time of day before and after a change."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from schedules.timing.interval import Interval, WallInterval
from schedules.timing.rule import InvalidRule
from tests.support.rules import between, take, utc, utcs

BERLIN = ZoneInfo("Europe/Berlin")
HALF_PAST_TWO = utc("2026-03-27T01:30")


def test_the_time_of_day_stays_when_clocks_change() -> None:
    rule = WallInterval(1, utc("2026-03-28T07:00"), BERLIN)
    assert take(rule, utc("2026-03-27"), 3) == utcs("2026-03-28T07:00", "2026-03-29T06:00", "2026-03-30T06:00")
    plain = Interval(timedelta(days=1), utc("2026-03-28T07:00"))
    assert take(plain, utc("2026-03-27"), 3) == utcs("2026-03-28T07:00", "2026-03-29T07:00", "2026-03-30T07:00")


def test_a_time_in_the_gap_goes_at_its_end_and_the_next_day_at_its_own_time() -> None:
    rule = WallInterval(1, HALF_PAST_TWO, BERLIN)
    assert take(rule, utc("2026-03-28T12:00"), 2) == utcs("2026-03-29T01:00", "2026-03-30T00:30")
    assert rule.matches(utc("2026-03-29T01:00"))
    assert not rule.matches(utc("2026-03-29T00:30"))


def test_a_time_in_the_gap_goes_at_its_first_instant_to_the_microsecond() -> None:
    rule = WallInterval(1, utc("2026-03-27T01:00:00.000001"), BERLIN)
    assert take(rule, utc("2026-03-28T12:00"), 1) == utcs("2026-03-29T01:00")


def test_a_time_that_comes_twice_goes_once_on_the_first_pass() -> None:
    rule = WallInterval(1, HALF_PAST_TWO, BERLIN)
    assert take(rule, utc("2026-10-24T12:00"), 2) == utcs("2026-10-25T00:30", "2026-10-26T01:30")
    for minutes in range(0, 60, 7):
        second_pass = utc("2026-10-25T01:00") + timedelta(minutes=minutes)
        assert rule.next_after(second_pass) == utc("2026-10-26T01:30")
        assert rule.previous_before(second_pass) == utc("2026-10-25T00:30")


def test_from_the_second_pass_the_next_day_is_found_also_right_behind_the_anchor() -> None:
    rule = WallInterval(1, utc("2026-10-25T00:59:59"), BERLIN)
    assert rule.next_after(utc("2026-10-25T01:00")) == utc("2026-10-26T01:59:59")


def test_an_anchor_on_the_second_pass_is_a_fire_time_and_its_successors_are_on_first_passes() -> None:
    rule = WallInterval(364, utc("2026-10-25T01:30"), BERLIN)
    assert take(rule, utc("2026-10-25T00:30"), 2) == utcs("2026-10-25T01:30", "2027-10-24T00:30")


def test_it_counts_days_from_the_anchor_and_never_before_it() -> None:
    rule = WallInterval(3, utc("2026-03-27T08:00"), BERLIN)
    expected = utcs("2026-03-27T08:00", "2026-03-30T07:00", "2026-04-02T07:00")
    assert between(rule, utc("2026-01-01"), utc("2026-04-03")) == expected
    assert rule.previous_before(utc("2026-03-27T08:00")) is None
    assert rule.previous_before(utc("2026-01-01")) is None
    assert rule.previous_before(utc("2026-03-30T07:00")) == utc("2026-03-27T08:00")


def test_where_midnight_is_skipped_the_day_begins_later() -> None:
    rule = WallInterval(1, utc("2026-09-01T04:00"), ZoneInfo("America/Santiago"))
    assert take(rule, utc("2026-09-05T12:00"), 2) == utcs("2026-09-06T04:00", "2026-09-07T03:00")


def test_past_the_last_year_there_is_none() -> None:
    rule = WallInterval(36_525, utc("9950-01-01"), BERLIN)
    assert rule.next_after(utc("9950-01-01")) is None


@pytest.mark.parametrize("days", [0, -1, 36_526])
def test_a_number_of_days_out_of_range_is_refused(days: int) -> None:
    with pytest.raises(InvalidRule, match="take 1 to 36525 days"):
        WallInterval(days, HALF_PAST_TWO, BERLIN)
