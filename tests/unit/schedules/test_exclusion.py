"""Rules that rest on some dates, which are days in the rule's zone."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from schedules.timing.exclusion import Excluding
from schedules.timing.interval import Interval
from schedules.timing.rule import Once
from tests.support.rules import between, cron, take, utc, utcs

BERLIN = ZoneInfo("Europe/Berlin")
CHRISTMAS = frozenset({date(2026, 12, 25), date(2026, 12, 26)})


def test_no_fire_time_on_the_dates_and_all_others_stay() -> None:
    rule = Excluding(cron("0 8 * * *", "Europe/Berlin"), CHRISTMAS, BERLIN)
    assert take(rule, utc("2026-12-23T12:00"), 2) == utcs("2026-12-24T07:00", "2026-12-27T07:00")
    assert rule.previous_before(utc("2026-12-27T07:00")) == utc("2026-12-24T07:00")
    assert not rule.matches(utc("2026-12-25T07:00"))
    assert rule.matches(utc("2026-12-24T07:00"))


def test_a_date_is_a_day_in_the_zone() -> None:
    hourly = Interval(timedelta(hours=1))
    rested = Excluding(hourly, frozenset({date(2026, 12, 25)}), ZoneInfo("Pacific/Auckland"))
    assert take(rested, utc("2026-12-24T10:00"), 2) == utcs("2026-12-25T11:00", "2026-12-25T12:00")
    assert rested.previous_before(utc("2026-12-25T11:00")) == utc("2026-12-24T10:00")
    assert rested.excludes(utc("2026-12-24T11:00"))


def test_the_first_instant_of_the_day_after_fires() -> None:
    rule = Excluding(cron("0 0 * * *", "Europe/Berlin"), CHRISTMAS, BERLIN)
    assert take(rule, utc("2026-12-24T12:00"), 1) == utcs("2026-12-26T23:00")


def test_a_day_of_25_hours_and_one_without_midnight_are_left_out_whole() -> None:
    hourly = Interval(timedelta(hours=1))
    long_day = Excluding(hourly, frozenset({date(2026, 10, 25)}), BERLIN)
    assert between(long_day, utc("2026-10-24T20:00"), utc("2026-10-25T23:00")) == utcs(
        "2026-10-24T21:00", "2026-10-25T23:00"
    )
    santiago = Excluding(hourly, frozenset({date(2026, 9, 6)}), ZoneInfo("America/Santiago"))
    assert between(santiago, utc("2026-09-06T02:00"), utc("2026-09-07T03:00")) == utcs(
        "2026-09-06T03:00", "2026-09-07T03:00"
    )


def test_where_clocks_set_back_across_midnight_bring_a_day_back_its_second_part_rests_too() -> None:
    """St John's did so at one minute past midnight until 2011: Saturday came back for an hour."""
    zone = ZoneInfo("America/St_Johns")
    rule = Excluding(Interval(timedelta(seconds=30)), frozenset({date(2010, 11, 6)}), zone)
    start, end = utc("2010-11-07T02:00"), utc("2010-11-07T05:00")
    steps = [start + n * timedelta(seconds=30) for n in range(1, 361)]
    assert between(rule, start, end) == [at for at in steps if at.astimezone(zone).date() != date(2010, 11, 6)]


def test_a_single_instant_on_an_excluded_date_never_fires() -> None:
    rule = Excluding(Once(utc("2026-12-25T12:00")), CHRISTMAS, BERLIN)
    assert rule.next_after(utc("2026-01-01")) is None
    assert rule.previous_before(utc("2027-01-01")) is None


def test_a_rule_that_rests_on_every_date_it_has_comes_to_an_end() -> None:
    days = frozenset(date(2026, 1, 1) + timedelta(days=n) for n in range(3650))
    rule = Excluding(cron("* * * * *"), days, ZoneInfo("UTC"))
    assert take(rule, utc("2026-01-01"), 1) == utcs("2035-12-30T00:00")
