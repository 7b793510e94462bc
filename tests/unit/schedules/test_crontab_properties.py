"""What holds for every crontab, zone and instant, judged by an oracle that walks every minute around clock changes."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.oracle import Spelled, oracle
from tests.support.rules import cron, utc

# Four days around each change, as (zone, middle); the last is a zone that never changes.
CHANGES = [
    ("Europe/Berlin", utc("2026-03-29T01:00")),
    ("Europe/Berlin", utc("2026-10-25T01:00")),
    ("America/New_York", utc("2026-03-08T07:00")),
    ("America/New_York", utc("2026-11-01T06:00")),
    ("America/Santiago", utc("2026-09-06T04:00")),
    ("America/Santiago", utc("2026-04-05T03:00")),
    ("America/Havana", utc("2026-03-08T05:00")),
    ("America/Havana", utc("2026-11-01T05:00")),
    ("Asia/Kathmandu", utc("2026-06-15T12:00")),
]
LORD_HOWE = [("Australia/Lord_Howe", utc("2026-10-03T15:30")), ("Australia/Lord_Howe", utc("2026-04-04T15:00"))]
AROUND = timedelta(days=2)
STEPPED_HOURS = [("*", 1), ("*/2", 2), ("*/3", 3), ("*/12", 12)]


def _some(lowest: int, highest: int) -> st.SearchStrategy[tuple[str, frozenset[int]]]:
    numbers = st.sets(st.integers(lowest, highest), min_size=1, max_size=3)
    return numbers.map(lambda found: (",".join(map(str, sorted(found))), frozenset(found)))


@st.composite
def crontabs(draw: st.DrawFn) -> Spelled:
    """Fixed and stepped fields, with and without week days; hours near the changes are drawn more often."""
    minute, minutes = draw(st.one_of(st.just(("*/20", frozenset({0, 20, 40}))), _some(0, 59)))
    fixed_hour = draw(st.booleans())
    if fixed_hour:
        hour, hours = draw(st.one_of(_some(0, 3), _some(0, 23)))
    else:
        hour, step = draw(st.sampled_from(STEPPED_HOURS))
        hours = frozenset(range(0, 24, step))
    weekday, weekdays = draw(st.one_of(st.just(("*", frozenset(range(7)))), _some(0, 6)))
    return Spelled(f"{minute} {hour} * * {weekday}", minutes, hours, weekdays, fixed_hour)


def _check(spelled: Spelled, zone: str, middle: datetime, minutes_on: int, microseconds: int) -> None:
    expected = oracle(spelled, ZoneInfo(zone), middle - AROUND, middle + AROUND)
    start = middle - AROUND / 2 + timedelta(minutes=minutes_on, microseconds=microseconds)
    fire_time = cron(spelled.text, zone).next_after(start)
    assert fire_time is not None
    assert fire_time > start
    ahead = [instant for instant in expected if instant > start]
    assert fire_time == ahead[0] if ahead else fire_time > middle + AROUND


# Within a day before and a day after the middle, and often inside the three hours in which it happens.
STARTS = st.one_of(st.integers(0, 2 * 1440), st.integers(1440 - 90, 1440 + 90))


@settings(max_examples=150)
@given(spelled=crontabs(), change=st.sampled_from(CHANGES), minutes_on=STARTS, microseconds=st.sampled_from([-1, 0, 1]))
def test_next_is_what_a_walk_over_every_minute_finds(
    spelled: Spelled, change: tuple[str, datetime], minutes_on: int, microseconds: int
) -> None:
    _check(spelled, *change, minutes_on, microseconds)


@settings(max_examples=100)
@given(
    spelled=crontabs(), change=st.sampled_from(LORD_HOWE), minutes_on=STARTS, microseconds=st.sampled_from([-1, 0, 1])
)
def test_next_is_what_a_walk_finds_where_clocks_change_by_half_an_hour(
    spelled: Spelled, change: tuple[str, datetime], minutes_on: int, microseconds: int
) -> None:
    _check(spelled, *change, minutes_on, microseconds)


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("45 * * * *", "2026-04-04T14:45", "2026-04-04T15:15"),
        ("0 */2 * * *", "2026-04-04T13:00", "2026-04-04T15:30"),
    ],
)
def test_half_an_hour_repeated_loses_no_fire_of_a_wildcard_hour(expression: str, after: str, expected: str) -> None:
    """Lord Howe Island: 01:30-02:00 comes twice on 2026-04-05, at +11:00 and at +10:30; 02:00 comes at 15:30 UTC."""
    assert cron(expression, "Australia/Lord_Howe").next_after(utc(after)) == utc(expected)


@settings(max_examples=100)
@given(
    spelled=crontabs(),
    change=st.sampled_from(CHANGES),
    minutes_on=st.lists(STARTS, min_size=2, max_size=2),
)
def test_next_is_monotonic(spelled: Spelled, change: tuple[str, datetime], minutes_on: list[int]) -> None:
    zone, middle = change
    rule = cron(spelled.text, zone)
    earlier, later = sorted(middle - AROUND / 2 + timedelta(minutes=minutes) for minutes in minutes_on)
    first, second = rule.next_after(earlier), rule.next_after(later)
    assert first is not None
    assert second is not None
    assert first <= second


@settings(max_examples=60)
@given(
    spelled=crontabs(),
    zone=st.sampled_from(
        ["UTC", "Europe/Dublin", "Africa/Casablanca", "Asia/Tehran", "Pacific/Chatham", "America/St_Johns"]
    ),
    start=st.integers(0, 60 * 366 * 86_400).map(lambda count: utc("2000-01-01") + timedelta(seconds=count)),
)
def test_next_lies_ahead_in_any_zone_at_any_time(spelled: Spelled, zone: str, start: datetime) -> None:
    fire_time = cron(spelled.text, zone).next_after(start)
    assert fire_time is not None
    assert fire_time > start
