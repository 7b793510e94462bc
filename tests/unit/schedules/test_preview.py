"""What a person is told of each fire time: gaps, repeated hours, jitter, excluded dates, long waits."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from schedules.timing.crontab import Crontab
from schedules.timing.exclusion import Excluding
from schedules.timing.expression import read_expression
from schedules.timing.interval import EPOCH, Interval, WallInterval
from schedules.timing.preview import FireTime, preview, wait_in_words
from schedules.timing.rule import Bounded, Once, Rule
from schedules.timing.solar import Solar
from tests.support.rules import cron, take, utc, utcs

UTC_ZONE = ZoneInfo("UTC")
NONE = timedelta(0)
CHRISTMAS = frozenset({date(2026, 12, 25), date(2026, 12, 26)})


def zone_of(rule: Rule) -> ZoneInfo:
    return rule.zone if isinstance(rule, Crontab | WallInterval) else UTC_ZONE


def seen(rule: Rule, after: str, count: int, zone: str = "", jitter: timedelta = NONE) -> list[tuple[datetime, str]]:
    """Instants and notes, shown in the rule's zone unless another is given."""
    shown_in = ZoneInfo(zone) if zone else zone_of(rule)
    return [(each.instant, each.note) for each in preview(rule, utc(after), count, shown_in, jitter)]


def notes(rule: Rule, after: str, count: int, zone: str = "", jitter: timedelta = NONE) -> list[str]:
    return [note for _, note in seen(rule, after, count, zone, jitter)]


def wait(rule: Rule, after: str, zone: ZoneInfo = UTC_ZONE, count: int = 10) -> str:
    return wait_in_words(rule, utc(after), preview(rule, utc(after), count, zone, NONE), zone)


def test_an_ordinary_fire_time_has_no_note() -> None:
    assert seen(cron("0 6 * * *", "Europe/Moscow"), "2026-03-28T12:00", 2) == [
        (utc("2026-03-29T03:00"), ""),
        (utc("2026-03-30T03:00"), ""),
    ]


def test_b03_a_fixed_time_in_a_gap_says_which_time_does_not_exist() -> None:
    assert seen(cron("30 2 * * *", "America/New_York"), "2026-03-07T07:30", 2) == [
        (utc("2026-03-08T07:00"), "gap: 02:30 does not exist that day"),
        (utc("2026-03-09T06:30"), ""),
    ]


@pytest.mark.parametrize(
    ("expression", "note"),
    [
        ("0,30 2 * * *", "gap: 02:00 and 02:30 do not exist that day"),
        ("*/15 2 * * *", "gap: 02:00 to 02:45 do not exist that day"),
        ("0 2,3 * * *", "gap: 02:00 does not exist that day"),
        ("15 30 2 * * *", "gap: 02:30:15 does not exist that day"),
        ("0 3 * * *", ""),
    ],
)
def test_the_end_of_a_gap_names_every_time_that_moved_to_it(expression: str, note: str) -> None:
    rule = read_expression(expression, ZoneInfo("America/New_York"))
    assert seen(rule, "2026-03-08T06:59", 1) == [(utc("2026-03-08T07:00"), note)]


def test_an_hour_with_a_star_does_not_move_and_has_no_note() -> None:
    assert seen(cron("*/30 * * * *", "America/New_York"), "2026-03-08T06:00", 3) == [
        (instant, "") for instant in utcs("2026-03-08T06:30", "2026-03-08T07:00", "2026-03-08T07:30")
    ]


def test_a_gap_at_midnight_is_named_too() -> None:
    rule = cron("0 0 * * 0", "America/Santiago")
    assert seen(rule, "2026-08-30T04:00", 2) == [
        (utc("2026-09-06T04:00"), "gap: 00:00 does not exist that day"),
        (utc("2026-09-13T03:00"), ""),
    ]


def test_an_interval_that_follows_the_wall_clock_moves_out_of_a_gap() -> None:
    rule = WallInterval(1, utc("2026-03-01T07:30"), ZoneInfo("America/New_York"))
    assert seen(rule, "2026-03-07T08:00", 2) == [
        (utc("2026-03-08T07:00"), "gap: 02:30 does not exist that day"),
        (utc("2026-03-09T06:30"), ""),
    ]


def test_b04_a_fixed_time_in_a_repeated_hour_fires_on_the_first_pass() -> None:
    assert seen(cron("5 2 * * *", "Europe/Berlin"), "2026-10-24T00:05", 2) == [
        (utc("2026-10-25T00:05"), "repeated hour, first pass"),
        (utc("2026-10-26T01:05"), ""),
    ]
    first_pass = utcs("2026-10-25T00:00", "2026-10-25T00:15", "2026-10-25T00:30", "2026-10-25T00:45")
    assert seen(cron("*/15 2 * * *", "Europe/Berlin"), "2026-10-24T12:00", 5) == [
        *((instant, "repeated hour, first pass") for instant in first_pass),
        (utc("2026-10-26T01:00"), ""),
    ]


def test_both_passes_of_a_repeated_hour_are_told_apart() -> None:
    assert seen(cron("30 * * * *", "Europe/Berlin"), "2026-10-24T23:00", 4) == [
        (utc("2026-10-24T23:30"), ""),
        (utc("2026-10-25T00:30"), "repeated hour, first pass"),
        (utc("2026-10-25T01:30"), "repeated hour, second pass"),
        (utc("2026-10-25T02:30"), ""),
    ]


def test_a_repeated_half_hour_is_half_as_long() -> None:
    """Lord Howe puts its clocks back by 30 minutes."""
    assert notes(cron("*/15 * * * *", "Australia/Lord_Howe"), "2026-04-04T14:15", 6) == [
        *["repeated hour, first pass"] * 2,
        *["repeated hour, second pass"] * 2,
        *[""] * 2,
    ]


def test_an_interval_is_told_the_passes_of_the_zone_it_is_shown_in() -> None:
    rule = Interval(timedelta(hours=1))
    assert notes(rule, "2026-10-24T23:00", 3, "Europe/Berlin") == [
        "repeated hour, first pass",
        "repeated hour, second pass",
        "",
    ]
    assert notes(rule, "2026-10-24T23:00", 3, "UTC") == ["", "", ""]


def test_shown_in_another_zone_a_note_names_the_zone_whose_clocks_change() -> None:
    gap = "gap: 02:30 does not exist that day in America/New_York"
    assert notes(cron("30 2 * * *", "America/New_York"), "2026-03-08T00:00", 1, "UTC") == [gap]
    folded = "repeated hour in Europe/Berlin, first pass"
    assert notes(cron("5 2 * * *", "Europe/Berlin"), "2026-10-24T00:05", 1, "Asia/Tokyo") == [folded]


def test_jitter_is_told_and_the_instant_keeps_its_time() -> None:
    rule = cron("0 6 * * *")
    assert seen(rule, "2026-03-28T12:00", 1, jitter=timedelta(seconds=12.345)) == [
        (utc("2026-03-29T06:00"), "jitter +12.3 s")
    ]
    assert notes(rule, "2026-03-28T12:00", 1, jitter=timedelta(milliseconds=7)) == ["jitter +0.007 s"]


def test_two_notes_stand_side_by_side() -> None:
    rule = cron("5 2 * * *", "Europe/Berlin")
    assert notes(rule, "2026-10-24T00:05", 1, jitter=timedelta(seconds=2)) == [
        "repeated hour, first pass; jitter +2.0 s"
    ]


def test_excluded_dates_are_listed_in_place_and_do_not_fire() -> None:
    rule = Bounded(Excluding(cron("0 9 * * *"), CHRISTMAS, UTC_ZONE), end=utc("2026-12-28T09:00"))
    assert preview(rule, utc("2026-12-23T12:00"), 10, UTC_ZONE, timedelta(seconds=3)) == [
        FireTime(utc("2026-12-24T09:00"), "jitter +3.0 s"),
        FireTime(utc("2026-12-25T09:00"), "excluded date: no slot", fires=False),
        FireTime(utc("2026-12-26T09:00"), "excluded date: no slot", fires=False),
        FireTime(utc("2026-12-27T09:00"), "jitter +3.0 s"),
    ]


def test_without_what_is_excluded_the_preview_is_what_fires() -> None:
    rule = Bounded(Excluding(cron("0 */6 * * *"), CHRISTMAS, UTC_ZONE), start=utc("2026-12-25T12:00"))
    listed = preview(rule, utc("2026-12-01T00:00"), 10, UTC_ZONE, NONE)
    firing = [each.instant for each in listed if each.fires]
    assert len(firing) == 4
    assert firing == take(rule, utc("2026-12-01T00:00"), 4)


def test_b10_a_preview_lists_the_twelve_saturdays_in_first_weeks() -> None:
    days = [
        *("01-03", "02-07", "03-07", "04-04", "05-02", "06-06"),
        *("07-04", "08-01", "09-05", "10-03", "11-07", "12-05"),
    ]
    assert seen(cron("0 22 1-7 * 6"), "2025-12-31T23:59", 12) == [(utc(f"2026-{day}T22:00"), "") for day in days]
    assert [at for at, _ in seen(cron("0 0 13 * 5"), "2025-12-31T23:59", 3)] == utcs(
        "2026-02-13", "2026-03-13", "2026-11-13"
    )


def test_b11_the_last_day_of_each_month_is_previewed() -> None:
    rule = read_expression("30 23 * * *", ZoneInfo("Europe/Madrid"), "last day")
    expected = utcs("2026-01-31T22:30", "2026-02-28T22:30", "2026-03-31T21:30", "2026-04-30T21:30")
    assert seen(rule, "2026-01-01T00:00", 4) == [(instant, "") for instant in expected]
    assert seen(rule, "2028-02-01T00:00", 1) == [(utc("2028-02-29T22:30"), "")]


def test_b16_a_polar_day_is_told_with_its_end() -> None:
    rule = Solar("sunrise", 69.65, 18.96)
    assert wait(rule, "2026-06-21T00:00", count=1) in {"no fire until 2026-07-25", "no fire until 2026-07-26"}
    assert wait(rule, "2026-09-01T00:00", count=1) == ""


def test_a_long_wait_is_told_with_the_day_in_the_zone() -> None:
    rule = cron("0 0 29 2 *", "Asia/Tokyo")
    assert wait(rule, "2026-01-01T00:00", ZoneInfo("Asia/Tokyo")) == "no fire until 2028-02-29"
    assert wait(rule, "2028-01-30T15:00", ZoneInfo("Asia/Tokyo")) == ""


def test_when_all_that_is_listed_is_excluded_the_first_that_fires_is_told() -> None:
    rule = Excluding(Interval(timedelta(minutes=5)), CHRISTMAS, UTC_ZONE)
    assert wait(rule, "2026-12-25T12:00") == "no fire until 2026-12-27"
    assert wait(rule, "2026-12-24T12:00") == ""


def test_a_rule_that_has_ended_says_so() -> None:
    assert preview(Once(EPOCH), EPOCH, 10, UTC_ZONE, NONE) == []
    assert wait(Once(EPOCH), "2026-01-01T00:00") == "no fire time after 2026-01-01 00:00:00 (UTC)"


@pytest.mark.parametrize("text", ["0 9 * *", "0 0 0 9 * * *", "@daily", ""])
def test_an_expression_has_five_fields_or_six(text: str) -> None:
    with pytest.raises(ValueError, match=r"has \d fields?: a crontab has 5 \(.*\) or 6 with the seconds first"):
        read_expression(text, UTC_ZONE)


def test_the_sixth_field_stands_first_and_means_seconds() -> None:
    assert seen(read_expression("*/20 0 9 * * *", UTC_ZONE), "2026-01-01T09:00:10", 2) == [
        (utc("2026-01-01T09:00:20"), ""),
        (utc("2026-01-01T09:00:40"), ""),
    ]
