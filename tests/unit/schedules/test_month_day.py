"""Days that crontabs cannot name: the last day, the last weekday, the nth day of a week."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest

from schedules.timing.crontab import Crontab
from schedules.timing.month_day import read_month_day
from schedules.timing.rule import InvalidRule
from tests.support.rules import between, take, utc, utcs

MADRID = ZoneInfo("Europe/Madrid")
YEAR = (utc("2025-12-31T23:59"), utc("2026-12-31T23:59"))


def test_b11_the_last_day_of_each_month_in_madrid() -> None:
    rule = Crontab("30", "23", zone=MADRID, month_day="last day")
    expected = ["2026-01-31T22:30", "2026-02-28T22:30", "2026-03-31T21:30", "2026-04-30T21:30"]
    assert take(rule, utc("2026-01-01"), 4) == utcs(*expected)
    assert take(rule, utc("2028-02-01"), 1) == utcs("2028-02-29T22:30")


@pytest.mark.parametrize(
    ("month_day", "days"),
    [
        ("last day", [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]),
        ("last weekday", [30, 27, 31, 30, 29, 30, 31, 31, 30, 30, 30, 31]),
        ("1st mon", [5, 2, 2, 6, 4, 1, 6, 3, 7, 5, 2, 7]),
        ("2nd tue", [13, 10, 10, 14, 12, 9, 14, 11, 8, 13, 10, 8]),
        ("3rd wed", [21, 18, 18, 15, 20, 17, 15, 19, 16, 21, 18, 16]),
        ("4th sun", [25, 22, 22, 26, 24, 28, 26, 23, 27, 25, 22, 27]),
        ("last fri", [30, 27, 27, 24, 29, 26, 31, 28, 25, 30, 27, 25]),
        ("LAST  Fri", [30, 27, 27, 24, 29, 26, 31, 28, 25, 30, 27, 25]),
    ],
)
def test_the_days_of_2026(month_day: str, days: list[int]) -> None:
    """From a printed calendar."""
    found = between(Crontab("0", "0", month_day=month_day), *YEAR)
    assert [instant.date() for instant in found] == [date(2026, month, day) for month, day in enumerate(days, start=1)]


def test_a_month_without_a_fifth_friday_is_left_out() -> None:
    found = between(Crontab("0", "0", month_day="5th fri"), *YEAR)
    assert found == utcs("2026-01-30", "2026-05-29", "2026-07-31", "2026-10-30")


def test_the_other_fields_hold_as_well() -> None:
    assert between(Crontab("0", "0", month_of_year="2,3", month_day="last day"), *YEAR) == utcs(
        "2026-02-28", "2026-03-31"
    )
    assert between(Crontab("0", "0", day_of_week="mon", month_day="last day"), *YEAR) == utcs(
        "2026-08-31", "2026-11-30"
    )
    on_the_31st = between(Crontab("0", "0", "31", month_day="last weekday"), *YEAR)
    assert on_the_31st == utcs("2026-03-31", "2026-07-31", "2026-08-31", "2026-12-31")


def test_a_day_by_name_is_a_day_in_the_zone_and_backwards_the_same() -> None:
    rule = Crontab("30", "0", zone=ZoneInfo("Asia/Tokyo"), month_day="last day")
    assert take(rule, utc("2026-02-01"), 1) == utcs("2026-02-27T15:30")
    assert rule.previous_before(utc("2026-03-01")) == utc("2026-02-27T15:30")


@pytest.mark.parametrize(
    "fields",
    [
        {"month_day": "5th mon", "month_of_year": "2", "day_of_month": "1-28"},
        {"month_day": "last fri", "day_of_week": "mon"},
        {"month_day": "2nd tue", "day_of_month": "1-7"},
        {"month_day": "last weekday", "day_of_week": "sat,sun"},
    ],
)
def test_a_day_that_never_comes_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(InvalidRule, match="never comes"):
        Crontab("0", "0", **fields)  # type: ignore[arg-type] # texts only


def test_a_fifth_monday_of_february_waits_for_its_leap_year() -> None:
    rule = Crontab("0", "0", month_of_year="2", month_day="5th mon")
    assert take(rule, utc("2026-01-01"), 2) == utcs("2044-02-29", "2072-02-29")


@pytest.mark.parametrize(
    "text", ["last", "day", "2nd", "2nd day", "1st weekday", "6th mon", "0th mon", "second tue", "last tuesday",
             "last fri sat", "L", "fri last", "٢nd tue", "last day of month"]
)  # fmt: skip
def test_other_words_are_refused_with_those_that_are_understood(text: str) -> None:
    with pytest.raises(InvalidRule, match="'last day', 'last weekday', '2nd tue' or 'last fri'"):
        Crontab(month_day=text)


def test_exactly_one_day_of_a_month_is_the_one() -> None:
    named = read_month_day("last weekday")
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(365)]
    assert sum(named.day_of(day.year, day.month) == day.day for day in days) == 12
