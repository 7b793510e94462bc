"""`schedules when`: an expression in words and its fire times; no database is asked."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def when(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("schedules", "when", *arguments, stdout=out)
    return out.getvalue().splitlines()


def instants(*arguments: str) -> list[str]:
    return [row["utc"] for row in json.loads("\n".join(when(*arguments, "--json")))]


def test_the_sentence_stands_above_the_fire_times() -> None:
    arguments = ("*/15 9-17 * * mon-fri", "--zone", "Europe/Berlin", "--after", "2026-03-27T16:30Z", "--count", "2")
    assert when(*arguments) == [
        "every 15 minutes from 09:00 to 17:45 on Monday to Friday (Europe/Berlin)",
        "  2026-03-27 16:45:00.000 UTC   Fri 2026-03-27 17:45:00 +0100 Europe/Berlin",
        "  2026-03-30 07:00:00.000 UTC   Mon 2026-03-30 09:00:00 +0200 Europe/Berlin",
    ]


def test_json_is_a_list_without_the_sentence() -> None:
    found = json.loads("\n".join(when("0 6 * * *", "--after", "2026-03-10T00:00Z", "--count", "1", "--json")))
    assert found == [{"utc": "2026-03-10T06:00:00Z", "local": "2026-03-10T06:00:00+00:00", "note": ""}]


@pytest.mark.parametrize("expression", ["0 10 * * 7", "0 10 * * sun", "0 10 * * 0"])
def test_b08_sunday_as_7_is_sunday(expression: str) -> None:
    assert when(expression, "--after", "2026-03-10T09:00Z", "--count", "1") == [
        "at 10:00 on Sunday (UTC)",
        "  2026-03-15 10:00:00.000 UTC   Sun 2026-03-15 10:00:00 +0000 UTC",
    ]


@pytest.mark.parametrize(
    ("expression", "days"),
    [("0 10 * * 5-7", "13 14 15"), ("0 10 * * fri-sun", "13 14 15"), ("0 10 * * sat-mon", "14 15 16")],
)
def test_b08_ranges_around_the_end_of_the_week(expression: str, days: str) -> None:
    expected = [f"2026-03-{day}T10:00:00Z" for day in days.split()]
    assert instants(expression, "--after", "2026-03-10T09:00Z", "--count", "3") == expected


def test_b10_both_restrictions_must_hold_and_the_sentence_says_and() -> None:
    arguments = ("0 22 1-7 * 6", "--after", "2025-12-31T23:59Z", "--count", "13")
    assert when(*arguments)[0] == "at 22:00 on days 1 to 7 of the month AND on Saturday (UTC)"
    found = instants(*arguments)
    assert [instant[:4] for instant in found] == ["2026"] * 12 + ["2027"]
    assert found[0] == "2026-01-03T22:00:00Z"
    assert when("0 0 13 * 5", "--count", "1")[0] == "at 00:00 on day 13 of the month AND on Friday (UTC)"


def test_b11_the_last_day_of_the_month_by_name() -> None:
    arguments = ("30 23 * * *", "--month-day", "last day", "--zone", "Europe/Madrid", "--after", "2026-01-01T00:00Z")
    assert when(*arguments)[0] == "at 23:30 on the last day of the month (Europe/Madrid)"
    assert instants(*arguments, "--count", "4") == [
        *("2026-01-31T22:30:00Z", "2026-02-28T22:30:00Z"),
        *("2026-03-31T21:30:00Z", "2026-04-30T21:30:00Z"),
    ]


def test_six_fields_begin_with_the_seconds() -> None:
    arguments = ("*/30 * 9 * * *", "--after", "2026-03-10T08:59:59Z", "--count", "2")
    assert instants(*arguments) == ["2026-03-10T09:00:00Z", "2026-03-10T09:00:30Z"]


def test_b03_and_b04_notes_are_told_for_an_expression_too() -> None:
    gap = when("30 2 * * *", "--zone", "America/New_York", "--after", "2026-03-07T07:30Z", "--count", "1")[1]
    assert gap.startswith("* 2026-03-08 07:00:00.000 UTC")
    assert gap.endswith("gap: 02:30 does not exist that day")
    passes = when("30 * * * *", "--zone", "Europe/Berlin", "--after", "2026-10-25T00:00Z", "--count", "2")[1:]
    assert [line.rpartition("   ")[2] for line in passes] == ["repeated hour, first pass", "repeated hour, second pass"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0 10 31 2 *"], "0 10 31 2 * (UTC) never comes"),
        (["0 25 * * *"], "hour '25' cannot be read: 25 is outside 0-23"),
        (["0 0 L * *"], "day of month 'L' cannot be read"),
        (["0 9 * *"], "'0 9 * *' has 4 fields: a crontab has 5"),
        (["0 9 * * *", "--month-day", "last fry"], "day 'last fry' cannot be read: write 'last day'"),
        (["0 9 * * *", "--zone", "berlin"], "did you mean 'Europe/Berlin'"),
        (["0 0 * * *", "--zone", "Asia/Tokyo", "--after", "9999-12-31T23:00Z"], "the calendar ends with the year 9999"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError) as refused:
        when(*arguments)
    assert message in str(refused.value)
