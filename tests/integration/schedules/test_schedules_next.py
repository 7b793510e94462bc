"""`schedules next` and the admin's panel: a schedule's fire times with their notes, for people and as JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, PeriodicTask, SolarSchedule

from schedules.admin.schedule_panels import panels
from schedules.models import Calendar
from schedules.registry.outlook import find, forecast, outlooks
from schedules.timing.jitter import offset_of
from tests.support.admin_pages import get, row_url, sign_in
from tests.support.rules import utc, utcs
from tests.support.schedules import every, schedule_row

pytestmark = pytest.mark.django_db


def lines(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("schedules", "next", *arguments, stdout=out)
    return out.getvalue().splitlines()


def listed(*arguments: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads("\n".join(lines(*arguments, "--json")))
    return found


def crontab(text: str, zone: str = "UTC") -> CrontabSchedule:
    minute, hour, day, month, weekday = text.split()
    return CrontabSchedule.objects.create(
        minute=minute, hour=hour, day_of_month=day, month_of_year=month, day_of_week=weekday, timezone=zone
    )


def holidays(*days: date) -> Calendar:
    calendar = Calendar.objects.create(name="holidays")
    for day in days:
        calendar.dates.create(date=day)
    return calendar


def test_b03_a_gap_is_marked_and_told() -> None:
    schedule_row("nightly", crontab=crontab("30 2 * * *", "America/New_York"))
    moved, usual = lines("nightly", "--after", "2026-03-07T07:30:00Z", "--count", "2")
    assert moved == (
        "* 2026-03-08 07:00:00.000 UTC   Sun 2026-03-08 03:00:00 -0400 America/New_York"
        "   gap: 02:30 does not exist that day"
    )
    assert usual == "  2026-03-09 06:30:00.000 UTC   Mon 2026-03-09 02:30:00 -0400 America/New_York"


def test_b04_a_repeated_hour_is_told_in_json() -> None:
    schedule_row("nightly", crontab=crontab("5 2 * * *", "Europe/Berlin"))
    assert listed("nightly", "--after", "2026-10-24T02:05:00+02:00", "--count", "2") == [
        {
            "utc": "2026-10-25T00:05:00Z",
            "local": "2026-10-25T02:05:00+02:00",
            "note": "repeated hour, first pass",
        },
        {"utc": "2026-10-26T01:05:00Z", "local": "2026-10-26T02:05:00+01:00", "note": ""},
    ]


def test_another_zone_shows_the_same_instants() -> None:
    schedule_row("nightly", crontab=crontab("30 2 * * *", "America/New_York"))
    (row,) = listed("nightly", "--after", "2026-03-08T00:00Z", "--count", "1", "--zone", "Asia/Kathmandu")
    assert row == {
        "utc": "2026-03-08T07:00:00Z",
        "local": "2026-03-08T12:45:00+05:45",
        "note": "gap: 02:30 does not exist that day in America/New_York",
    }


def test_jitter_and_fractions_of_a_second_are_told() -> None:
    schedule_row("a", interval=every(1_500_000, "microseconds"), options={"jitter_seconds": 1})
    (row,) = listed("a", "--after", "2026-03-10T09:00:00Z", "--count", "1")
    seconds = offset_of("a", timedelta(seconds=1)) / timedelta(seconds=1)
    assert row["utc"] == "2026-03-10T09:00:01.500000Z"
    assert row["note"] == f"jitter +{seconds:.3f} s"


def test_an_excluded_date_stands_in_its_place() -> None:
    options = {"calendar": holidays(date(2026, 12, 25))}
    schedule_row("a", crontab=crontab("0 9 * * *"), options=options)
    found = lines("a", "--after", "2026-12-24T00:00Z", "--count", "3")
    assert [line[0] for line in found] == [" ", "x", " "]
    assert found[1].endswith("excluded date: no slot")
    notes = [row["note"] for row in listed("a", "--after", "2026-12-24T00:00Z", "--count", "3")]
    assert notes == ["", "excluded date: no slot", ""]


def test_the_days_of_an_interval_are_those_of_its_zone() -> None:
    options = {"calendar": holidays(date(2026, 3, 11)), "interval_zone": "Asia/Tokyo"}
    row = schedule_row("a", interval=every(1, "days"), options=options)
    ahead = forecast(find(row.name), utc("2026-03-09T00:00"), 3)
    assert ahead.zone == ZoneInfo("Asia/Tokyo")
    assert [(each.instant, each.fires) for each in ahead.fire_times] == [
        (utc("2026-03-09T15:00"), True),
        (utc("2026-03-10T15:00"), False),
        (utc("2026-03-11T15:00"), True),
    ]


def test_b16_a_polar_day_is_told_above_its_end() -> None:
    sun = SolarSchedule.objects.create(event="sunrise", latitude="69.65", longitude="18.96")
    schedule_row("a", solar=sun)
    message, first = lines("a", "--after", "2026-06-21T00:00Z", "--count", "1")
    day = message.removeprefix("no fire until ")
    assert day in ("2026-07-25", "2026-07-26")
    assert first.startswith(f"  {day} ")
    assert len(listed("a", "--after", "2026-06-21T00:00Z", "--count", "1")) == 1


def test_a_schedule_that_fires_no_more_says_so() -> None:
    schedule_row("a", crontab=crontab("0 9 * * *"), options={"ends_at": utc("2200-01-02T00:00")})
    assert lines("a", "--after", "2200-01-02T00:00Z") == ["no fire time after 2200-01-02 00:00:00 (UTC)"]
    assert listed("a", "--after", "2200-01-02T00:00Z") == []


def test_no_more_is_shown_than_will_run() -> None:
    once = ClockedSchedule.objects.create(clocked_time=utc("2026-03-10T09:01"))
    schedule_row("once", clocked=once, one_off=True)
    options = {"max_runs": 5, "calendar": holidays(date(2026, 12, 25))}
    schedule_row("five", crontab=crontab("0 9 * * *"), options=options, total_run_count=3)
    schedule_row("done", crontab=crontab("0 9 * * *"), options={"max_runs": 3}, total_run_count=3)
    assert [row["utc"] for row in listed("once", "--after", "2026-03-10T00:00Z")] == ["2026-03-10T09:01:00Z"]
    assert [row["utc"] for row in listed("five", "--after", "2026-12-24T00:00Z")] == [
        "2026-12-24T09:00:00Z",
        "2026-12-25T09:00:00Z",
        "2026-12-26T09:00:00Z",
    ]
    assert lines("done") == ["no fire time: it has had all its 3 runs"]


def test_ten_are_shown_from_now_on_unless_more_is_said() -> None:
    schedule_row("a", crontab=crontab("0 9 * * *"))
    instants = [datetime.fromisoformat(row["utc"]) for row in listed("a")]
    assert [later - earlier for earlier, later in pairwise(instants)] == [timedelta(days=1)] * 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--after", "2026-03-08T07:00"], "'2026-03-08T07:00' has no offset: add Z for UTC, or one such as +01:00"),
        (["--after", "2026-03-08"], "'2026-03-08' has no offset: add Z"),
        (["--after", "soon"], "'soon' is no instant: write it as in 2026-03-08T07:00:00Z"),
        (["--zone", "Europe/Berln"], "'Europe/Berln' is not known here: did you mean 'Europe/Berlin'"),
        (["--zone", "new york"], "'new york' is not known here: did you mean 'America/New_York'"),
        (["--zone", "???"], "'???' is not known here: take an IANA name such as Europe/Berlin"),
        (["--count", "0"], "'0' is not a whole number above 0"),
        (["--count", "-1"], "'-1' is not a whole number above 0"),
    ],
)
def test_arguments_are_refused_with_the_remedy(arguments: list[str], message: str) -> None:
    schedule_row("a")
    with pytest.raises(CommandError) as refused:
        lines("a", *arguments)
    assert message in str(refused.value)


def break_row(**fields: Any) -> None:
    """As raw SQL may leave it."""
    schedule_row("a", crontab=crontab("0 10 * * *"))
    CrontabSchedule.objects.update(**fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"day_of_month": "31", "month_of_year": "2"}, "0 10 31 2 * (UTC) never comes"),
        ({"hour": "25"}, "hour '25' cannot be read: 25 is outside 0-23"),
        ({"minute": ""}, "minute '' cannot be read"),
    ],
)
def test_a_schedule_that_cannot_run_is_refused_with_the_reason(fields: dict[str, str], reason: str) -> None:
    break_row(**fields)
    with pytest.raises(CommandError) as refused:
        lines("a")
    assert str(refused.value).startswith("schedule 'a' cannot run: ")
    assert reason in str(refused.value)


def test_a_rule_that_cannot_be_read_is_listed_as_it_is_stored() -> None:
    break_row(day_of_month="31", month_of_year="2")
    (found,) = outlooks(utc("2026-01-01T00:00"))
    assert (found.rule, found.next_fire_time) == ("0 10 31 2 * (UTC)", None)


def test_b10_the_list_and_the_panel_say_and_with_the_dates_that_fire() -> None:
    row = schedule_row("a", crontab=crontab("0 22 1-7 * 6"))
    (found,) = outlooks(utc("2026-01-01T00:00"))
    assert found.rule == "at 22:00 on days 1 to 7 of the month AND on Saturday (UTC)"
    shown = panels(row, utc("2026-01-01T00:00"))["fire_times"]
    assert shown["headers"] == ["UTC"]
    assert [cells[0][:10] for cells in shown["rows"]] == [
        *("2026-01-03", "2026-02-07", "2026-03-07"),
        *("2026-04-04", "2026-05-02"),
    ]


def test_the_panel_shows_notes_where_there_are_any() -> None:
    row = schedule_row("nightly", crontab=crontab("30 2 * * *", "America/New_York"))
    shown = panels(row, utc("2026-03-07T12:00"))["fire_times"]
    assert shown["headers"] == ["UTC", "America/New_York", "note"]
    assert shown["rows"][:2] == [
        ["2026-03-08 07:00:00", "2026-03-08 03:00:00 EDT", "gap: 02:30 does not exist that day"],
        ["2026-03-09 06:30:00", "2026-03-09 02:30:00 EDT", ""],
    ]
    assert panels(row, utc("2026-03-10T00:00"))["fire_times"]["headers"] == ["UTC", "America/New_York"]


def test_the_page_shows_the_message_and_the_notes(client: Client) -> None:
    sign_in(client)
    jittered = schedule_row("jittered", interval=every(1, "hours"), options={"jitter_seconds": 1800})
    far = schedule_row("far", interval=every(10, "days"), start_time=utc("2200-01-01T00:00"))
    seconds = offset_of("jittered", timedelta(seconds=1800)) / timedelta(seconds=1)
    assert get(client, row_url(jittered)).text.count(f"jitter +{seconds:.1f} s") == 5
    assert "no fire until 2200-01-01" in get(client, row_url(far)).text


def test_command_panel_list_and_rule_name_the_same_next_instant() -> None:
    row = schedule_row(
        "a", crontab=crontab("0 9 * * *", "Asia/Tokyo"), options={"calendar": holidays(date(2026, 5, 4))}
    )
    now = utc("2026-05-03T12:00")
    (ahead,) = outlooks(now)
    command = [at["utc"] for at in listed("a", "--after", now.isoformat()) if not at["note"]]
    panel = [cells[0] for cells in panels(find("a"), now)["fire_times"]["rows"] if not cells[-1]]
    assert row.crontab == PeriodicTask.objects.get().crontab
    assert [ahead.next_fire_time] == utcs("2026-05-05T00:00")
    assert datetime.fromisoformat(command[0]) == ahead.next_fire_time
    assert datetime.fromisoformat(panel[0]).replace(tzinfo=UTC) == ahead.next_fire_time
