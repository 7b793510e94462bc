"""Crontabs where clocks change: the exact instants of public bug reports, and what every rule must keep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.support.rules import between, cron, take, utc, utcs


def test_b02_a_fixed_time_far_from_the_change_keeps_its_wall_clock() -> None:
    rule = cron("4 16 * * *", "America/New_York")
    assert take(rule, utc("2025-03-08T21:04"), 2) == utcs("2025-03-09T20:04", "2025-03-10T20:04")
    assert take(rule, utc("2026-10-31T20:04"), 2) == utcs("2026-11-01T21:04", "2026-11-02T21:04")


def test_b03_a_time_inside_the_gap_fires_once_at_the_first_instant_after_it() -> None:
    rule = cron("30 2 * * *", "America/New_York")
    assert take(rule, utc("2026-03-07T07:30"), 2) == utcs("2026-03-08T07:00", "2026-03-09T06:30")


def test_b03_from_anywhere_before_the_gap_the_instant_is_the_same() -> None:
    rule = cron("30 2 * * *", "America/New_York")
    starts = [utc("2026-03-07T07:30:00.000001") + timedelta(minutes=n) for n in range(1409)]
    assert {rule.next_after(start) for start in starts} == {utc("2026-03-08T07:00")}


def test_several_times_inside_one_gap_fire_once_together() -> None:
    rule = cron("0,15,30,45 2 * * *", "America/New_York")
    assert take(rule, utc("2026-03-08T00:00"), 2) == utcs("2026-03-08T07:00", "2026-03-09T06:00")


def test_a_time_inside_the_gap_and_its_end_are_one_fire() -> None:
    rule = cron("30 2,3 * * *", "America/New_York")
    assert take(rule, utc("2026-03-08T00:00"), 3) == utcs("2026-03-08T07:00", "2026-03-08T07:30", "2026-03-09T06:30")
    assert take(cron("0 2,3 * * *", "America/New_York"), utc("2026-03-08T00:00"), 2) == utcs(
        "2026-03-08T07:00", "2026-03-09T06:00"
    )


def test_b04_a_fixed_hour_runs_on_the_first_pass_only() -> None:
    rule = cron("5 2 * * *", "Europe/Berlin")
    assert take(rule, utc("2026-10-24T00:05"), 2) == utcs("2026-10-25T00:05", "2026-10-26T01:05")


def test_b04_also_when_its_minutes_are_stepped() -> None:
    rule = cron("*/15 2 * * *", "Europe/Berlin")
    on_the_day = between(rule, utc("2026-10-24T22:00"), utc("2026-10-25T22:59"))
    assert on_the_day == utcs("2026-10-25T00:00", "2026-10-25T00:15", "2026-10-25T00:30", "2026-10-25T00:45")


def test_a_wildcard_hour_runs_on_both_passes() -> None:
    rule = cron("30 * * * *", "Europe/Berlin")
    expected = ("2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30")
    assert take(rule, utc("2026-10-24T23:00"), 4) == utcs(*expected)


def test_b06_half_an_hour_of_change_invents_no_minute() -> None:
    rule = cron("0 * * * *", "Australia/Lord_Howe")
    after = utc("2026-10-03T14:30")
    assert take(rule, after, 3) == utcs("2026-10-03T16:00", "2026-10-03T17:00", "2026-10-03T18:00")
    zone = ZoneInfo("Australia/Lord_Howe")
    assert {t.astimezone(zone).minute for t in between(rule, after, after + timedelta(days=300))} == {0}


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        (
            "30 * * * *",
            "Europe/Helsinki",
            "2026-10-25T01:30",
            ("2026-10-25T02:30", "2026-10-25T03:30", "2026-10-25T04:30"),
        ),
        (
            "0 */2 * * *",
            "Europe/London",
            "2026-10-24T23:00",
            ("2026-10-25T02:00", "2026-10-25T04:00", "2026-10-25T06:00"),
        ),
        ("0 0 * * 0", "America/Santiago", "2026-08-30T04:00", ("2026-09-06T04:00", "2026-09-13T03:00")),
        ("0 8 * * 0", "America/Chicago", "2026-03-08T05:45", ("2026-03-08T13:00", "2026-03-15T13:00")),
    ],
)
def test_b07_next_moves_on_and_steps_over_no_day(
    expression: str, zone: str, after: str, expected: tuple[str, ...]
) -> None:
    assert take(cron(expression, zone), utc(after), len(expected)) == utcs(*expected)


@pytest.mark.parametrize("minute", [0, 5, 30, 59])
def test_b07_from_within_the_second_pass_a_fixed_hour_is_next_on_the_next_day(minute: int) -> None:
    """A beat that starts while the hour repeats must not be given an instant that lies behind it, again and again."""
    rule = cron(f"{minute} 2 * * *", "Europe/Berlin")
    for start in (utc("2026-10-25T01:00") + timedelta(minutes=n) for n in range(60)):
        assert rule.next_after(start) == utc("2026-10-26T01:00") + timedelta(minutes=minute)


def test_b18_distant_zones_with_odd_offsets() -> None:
    after = utc("2026-07-15T10:00")
    assert take(cron("0 7 * * *", "America/Los_Angeles"), after, 1) == utcs("2026-07-15T14:00")
    assert take(cron("15 20 * * *", "Asia/Kathmandu"), after, 1) == utcs("2026-07-15T14:30")


def test_b24_b27_hours_and_minutes_in_utc() -> None:
    assert take(cron("0 * * * *"), utc("2026-03-10T09:00"), 3) == utcs(
        "2026-03-10T10:00", "2026-03-10T11:00", "2026-03-10T12:00"
    )
    assert take(cron("* * * * *"), utc("2026-03-10T09:30:20"), 2) == utcs("2026-03-10T09:31", "2026-03-10T09:32")


def test_the_answer_does_not_depend_on_the_zone_of_the_question() -> None:
    rule = cron("5 2 * * *", "Europe/Berlin")
    start = utc("2026-10-25T00:30")
    asked = {
        rule.next_after(start.astimezone(ZoneInfo(zone)))
        for zone in ("UTC", "Asia/Tokyo", "Europe/Berlin", "America/Lima")
    }
    assert asked == {utc("2026-10-26T01:05")}


def test_answers_are_in_utc() -> None:
    fire_time = cron("5 2 * * *", "Europe/Berlin").next_after(datetime(2026, 7, 1, tzinfo=UTC))
    assert fire_time is not None
    assert fire_time.tzinfo is UTC


def test_a_day_that_a_zone_never_had_is_made_good_at_its_end() -> None:
    """Samoa had no 30 December 2011: the fixed time belongs to that date and fires when the date would have ended."""
    rule = cron("0 12 * * *", "Pacific/Apia")
    assert take(rule, utc("2011-12-29T23:00"), 2) == utcs("2011-12-30T10:00", "2011-12-30T22:00")
