"""Crontab fields: every form that celery takes means the same here, and what it refuses is refused with a reason."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from celery.schedules import crontab as celery_crontab

from schedules.timing.crontab import Crontab
from schedules.timing.rule import InvalidRule
from tests.support.rules import between, cron, take, utc, utcs

START = utc("2026-03-01T00:00") - timedelta(seconds=1)


def _celery(**field: str) -> set[int]:
    """The numbers that celery reads in one field."""
    (name,) = field
    numbers: set[int] = getattr(celery_crontab(**field), name)
    return numbers


def _minutes(field: str) -> set[int]:
    return {t.minute for t in between(cron(f"{field} * * * *"), START, START + timedelta(hours=1))}


def _hours(field: str) -> set[int]:
    return {t.hour for t in between(cron(f"0 {field} * * *"), START, START + timedelta(days=1))}


def _days(field: str) -> set[int]:
    return {t.day for t in between(cron(f"0 0 {field} * *"), START, START + timedelta(days=31))}


def _months(field: str) -> set[int]:
    return {t.month for t in between(cron(f"0 0 1 {field} *"), START, START + timedelta(days=365))}


def _weekdays(field: str) -> set[int]:
    return {t.isoweekday() % 7 for t in between(cron(f"0 0 * * {field}"), START, START + timedelta(days=7))}


@pytest.mark.parametrize(
    "field", ["*", "*/15", "7", "0,30", "5-9", "5-20/5", "50-10", "50-10/4", "*/7,3", "0-59/59", "*/100"]
)
def test_minutes_are_those_of_celery(field: str) -> None:
    assert _minutes(field) == _celery(minute=field)


@pytest.mark.parametrize("field", ["*", "*/5", "0", "23", "8-18", "8-18/3", "22-2", "22-2/2", "1,5,9"])
def test_hours_are_those_of_celery(field: str) -> None:
    assert _hours(field) == _celery(hour=field)


@pytest.mark.parametrize("field", ["*", "*/2", "*/10", "1", "31", "1-7", "28-3", "1-31/7", "1,15"])
def test_days_of_month_are_those_of_celery(field: str) -> None:
    assert _days(field) == _celery(day_of_month=field)


@pytest.mark.parametrize(
    "field", ["*", "*/3", "1", "12", "jan", "jan,dec", "mar-may", "nov-feb", "1-12/4", "JUN", "11-2/2"]
)
def test_months_are_those_of_celery(field: str) -> None:
    assert _months(field) == _celery(month_of_year=field)


@pytest.mark.parametrize(
    "field", ["*", "*/2", "*/3", "*/5", "0", "6", "sun", "mon-fri", "fri-sun", "sat-mon", "5-1", "sat-tue/2", "MON,thu"]
)
def test_days_of_week_are_those_of_celery(field: str) -> None:
    assert _weekdays(field) == _celery(day_of_week=field)


@pytest.mark.parametrize(
    ("field", "days"), [("7", {0}), ("0,7", {0}), ("5-7", {5, 6, 0}), ("7-2", {0, 1, 2}), ("0-7", set(range(7)))]
)
def test_b08_sunday_may_be_written_as_7(field: str, days: set[int]) -> None:
    assert _weekdays(field) == days


def test_b08_sunday_as_7_fires_on_that_sunday() -> None:
    after = utc("2026-03-10T09:00")
    assert take(cron("0 10 * * 7"), after, 1) == utcs("2026-03-15T10:00")
    fridays_on = utcs("2026-03-13T10:00", "2026-03-14T10:00", "2026-03-15T10:00")
    assert take(cron("0 10 * * 5-7"), after, 3) == fridays_on
    assert take(cron("0 10 * * fri-sun"), after, 3) == fridays_on


def test_spaces_around_commas_do_not_matter() -> None:
    assert Crontab(minute=" 5, 10 ").next_after(utc("2026-03-10T09:05")) == utc("2026-03-10T09:10")


def test_a_space_inside_a_number_does_not_join_its_digits() -> None:
    with pytest.raises(InvalidRule, match="minute '1 5'"):
        Crontab(minute="1 5")


@pytest.mark.parametrize(
    ("fields", "telling"),
    [
        ({"minute": "60"}, "minute '60' cannot be read: 60 is outside 0-59"),
        ({"minute": ""}, "minute ''"),
        ({"minute": "*/0"}, "step '0' is not a whole number above 0"),
        ({"minute": "*/-5"}, "step '-5'"),
        ({"minute": "*/x"}, "step 'x'"),
        ({"minute": "5/15"}, "a step needs a range or a star before it, as in 0-59/2"),
        ({"minute": "1,,2"}, "'' is not a number"),
        ({"minute": "1-"}, "'' is not a number"),
        ({"minute": "*5"}, "'*5' is not a number"),
        ({"minute": "٣"}, "is not a number"),
        ({"minute": "²"}, "is not a number"),
        ({"hour": "24"}, "hour '24' cannot be read: 24 is outside 0-23"),
        ({"hour": "8-24"}, "24 is outside 0-23"),
        ({"hour": "mon"}, "'mon' is not a number"),
        ({"day_of_month": "0"}, "0 is outside 1-31"),
        ({"day_of_month": "L"}, "day of month 'L' cannot be read: 'l' is not a number"),
        ({"day_of_month": "-1"}, "day of month '-1'"),
        ({"day_of_month": "LW"}, "'lw' is not a number"),
        ({"month_of_year": "13"}, "13 is outside 1-12"),
        ({"month_of_year": "januar"}, "'januar' is not a number or a name"),
        ({"day_of_week": "8"}, "8 is outside 0-7"),
        ({"day_of_week": "mon#1"}, "'mon#1' is not a number or a name"),
    ],
)
def test_what_cannot_be_read_is_refused_with_field_value_and_reason(fields: dict[str, str], telling: str) -> None:
    with pytest.raises(InvalidRule) as refused:
        Crontab(**fields)  # type: ignore[arg-type] # texts only, none is the zone
    assert telling in str(refused.value)


@pytest.mark.parametrize(
    "expression", ["0 10 31 2 *", "0 10 31 4 *", "0 0 30,31 2 *", "0 0 31 4,6,9,11 *", "0 10 31 2 1"]
)
def test_b09_a_date_that_never_comes_is_refused(expression: str) -> None:
    with pytest.raises(InvalidRule):
        cron(expression)


def test_b09_29_february_waits_for_the_leap_year() -> None:
    assert take(cron("0 10 29 2 *"), utc("2026-01-01T00:00"), 2) == utcs("2028-02-29T10:00", "2032-02-29T10:00")


def test_29_february_on_a_monday_is_found_across_the_missing_leap_year_2100() -> None:
    assert take(cron("0 0 29 2 1"), utc("2072-01-01T00:00"), 2) == utcs("2072-02-29T00:00", "2112-02-29T00:00")


def test_b10_day_of_month_and_day_of_week_are_joined_with_and() -> None:
    year = (utc("2025-12-31T23:59"), utc("2026-12-31T23:59"))
    saturdays = (
        "01-03",
        "02-07",
        "03-07",
        "04-04",
        "05-02",
        "06-06",
        "07-04",
        "08-01",
        "09-05",
        "10-03",
        "11-07",
        "12-05",
    )
    assert between(cron("0 22 1-7 * 6"), *year) == [utc(f"2026-{day}T22:00") for day in saturdays]
    assert between(cron("0 0 13 * 5"), *year) == utcs("2026-02-13", "2026-03-13", "2026-11-13")


@pytest.mark.parametrize("expression", ["0 0 */2 * 1", "0 0 1-7 * */2"])
def test_b10_a_stepped_star_is_joined_with_and_too(expression: str) -> None:
    _, _, day, _, weekday = expression.split()
    days, weekdays = _celery(day_of_month=day), _celery(day_of_week=weekday)
    fired = between(cron(expression), utc("2025-12-31T23:59"), utc("2026-12-31T23:59"))
    assert {t.date() for t in fired} == {
        date
        for date in (utc("2026-01-01").date() + timedelta(days=n) for n in range(365))
        if date.day in days and date.isoweekday() % 7 in weekdays
    }


def test_b11_the_last_days_of_months_are_only_those_that_exist() -> None:
    year = (utc("2026-01-01T00:00"), utc("2026-12-31T23:59"))
    assert {t.month for t in between(cron("30 23 31 * *"), *year)} == {1, 3, 5, 7, 8, 10, 12}
    assert len(between(cron("30 23 28-31 * *"), *year)) == 41


def test_two_crontabs_with_the_same_fields_are_equal_and_say_what_they_are() -> None:
    assert cron("5 2 * * *", "Europe/Berlin") == Crontab("5", "2", zone=ZoneInfo("Europe/Berlin"))
    assert cron("5 2 * * *", "Europe/Berlin") != cron("5 2 * * *")
    assert str(cron("5 2 * * *", "Europe/Berlin")) == "5 2 * * * (Europe/Berlin)"
