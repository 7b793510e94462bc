"""A row that cannot run, put in by SQL, is shown as invalid with the reason, is counted, and disturbs no other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils.html import escape
from django_celery_beat.models import CrontabSchedule, PeriodicTask, SolarSchedule

from schedules.models import ScheduleOptions
from schedules.reader import Reader
from schedules.registry.outlook import outlooks
from schedules.validation import refusal
from tests.support.admin_pages import get, list_url, row_url, sign_in
from tests.support.schedules import every, schedule_row

pytestmark = pytest.mark.django_db


def _sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _crontab(**fields: str) -> None:
    row = schedule_row("broken", crontab=CrontabSchedule.objects.create(timezone="UTC"))
    for field, value in fields.items():
        _sql(f"UPDATE django_celery_beat_crontabschedule SET {field} = %s WHERE id = %s", value, row.crontab_id)  # noqa: S608 the test's own fields


def _interval(field: str, value: Any) -> None:
    interval = every(7)
    schedule_row("broken", interval=interval)
    _sql(f"UPDATE django_celery_beat_intervalschedule SET {field} = %s WHERE id = %s", value, interval.pk)  # noqa: S608 the test's own fields


def _solar(field: str, value: Any) -> None:
    sun = SolarSchedule.objects.create(event="sunrise", latitude=1, longitude=1)
    schedule_row("broken", solar=sun)
    _sql(f"UPDATE django_celery_beat_solarschedule SET {field} = %s WHERE id = %s", value, sun.pk)  # noqa: S608 the test's own fields


def _task(**fields: Any) -> None:
    schedule_row("broken")
    PeriodicTask.objects.filter(name="broken").update(**fields)


def _options(**fields: Any) -> None:
    row = schedule_row("broken")
    ScheduleOptions.objects.bulk_create([ScheduleOptions(periodic_task=row, **fields)])


CASES: list[tuple[str, Callable[[], None], str]] = [
    ("31 february", lambda: _crontab(day_of_month="31", month_of_year="2"), "never comes"),
    ("hour 25", lambda: _crontab(hour="25"), "25 is outside 0-23"),
    ("minute 60", lambda: _crontab(minute="60"), "60 is outside 0-59"),
    ("month 13", lambda: _crontab(month_of_year="13"), "13 is outside 1-12"),
    ("weekday 8", lambda: _crontab(day_of_week="8"), "8 is outside 0-7"),
    ("day L", lambda: _crontab(day_of_month="L"), "day of month 'L' cannot be read"),
    ("step 0", lambda: _crontab(minute="*/0"), "step '0'"),
    ("empty minute", lambda: _crontab(minute=""), "minute '' cannot be read"),
    ("empty hour", lambda: _crontab(hour=""), "hour '' cannot be read"),
    ("empty fields", lambda: _crontab(minute="", hour="", day_of_month="", month_of_year="", day_of_week=""), "''"),
    ("zone gone", lambda: _crontab(timezone="Mars/Olympus"), "zone 'Mars/Olympus' is not known"),
    ("zone a path", lambda: _crontab(timezone="../../etc/passwd"), "is not known"),
    ("zone a folder", lambda: _crontab(timezone="Europe"), "zone 'Europe' is not known"),
    ("zone empty", lambda: _crontab(timezone=""), "is not known"),
    ("interval 0", lambda: _interval("every", 0), "too short"),
    ("interval negative", lambda: _interval("every", -5), "too short"),
    ("interval 50 ms", lambda: _interval("every = 50000, period", "microseconds"), "too short"),
    ("interval too long", lambda: _interval("every = 2147483647, period", "days"), "too long"),
    ("period unknown", lambda: _interval("period", "fortnights"), "no period 'fortnights'"),
    ("latitude 95", lambda: _solar("latitude", 95), "latitude 95.0 is out of range"),
    ("longitude 200", lambda: _solar("longitude", 200), "longitude 200.0 is out of range"),
    ("event unknown", lambda: _solar("event", "moonrise"), "event 'moonrise' is unknown"),
    ("no rule", lambda: _task(interval=None), "set one of them"),
    ("no task", lambda: _task(task="fan_uot"), "No worker knows the task"),
    ("no queue", lambda: _task(queue="nobody"), "No worker reads the queue"),
    ("kwargs", lambda: _task(kwargs="{"), "kwargs is not JSON"),
    ("kwargs unfit", lambda: _task(kwargs='{"volume": 11}'), "does not take these arguments"),
    ("headers", lambda: _task(headers="[]"), "headers must be a JSON object"),
    ("seconds without crontab", lambda: _options(seconds="30"), "seconds '30'"),
    ("jitter too long", lambda: _options(jitter_seconds=3600), "jitter_seconds 3600"),
    ("zone of an interval gone", lambda: _options(interval_zone="Mars/Olympus"), "zone 'Mars/Olympus' is not known"),
    ("overlap unknown", lambda: _options(overlap="perhaps"), "perhaps"),
    ("catch-up unknown", lambda: _options(catch_up="perhaps"), "perhaps"),
]


@pytest.mark.parametrize(("bring_in", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_it_is_told_everywhere_and_the_others_go_on(client: Client, bring_in: Callable[[], None], reason: str) -> None:
    schedule_row("healthy")
    schedule_row("healthy crontab", crontab=CrontabSchedule.objects.create(minute="3", timezone="Europe/Paris"))
    bring_in()

    definitions, rejected = Reader(refusal).read()
    assert definitions.keys() == {"healthy", "healthy crontab"}
    assert reason in rejected["broken"].reason

    shown = {outlook.name: outlook.problem for outlook in outlooks(datetime(2026, 3, 10, tzinfo=UTC))}
    assert reason in shown.pop("broken")
    assert set(shown.values()) == {""}

    sign_in(client)
    page = get(client, list_url(PeriodicTask)).text
    assert page.count("invalid") >= 1
    assert escape(reason) in page
    assert "healthy crontab" in page
    assert escape(reason) in get(client, row_url(PeriodicTask.objects.get(name="broken"))).text


@pytest.mark.parametrize("fields", [{"timezone": "Mars/Olympus"}, {"minute": ""}, {"hour": "25"}, {"timezone": ""}])
def test_its_rule_is_shown_and_mended_in_the_admin(client: Client, fields: dict[str, str]) -> None:
    _crontab(**fields)
    crontab = CrontabSchedule.objects.get()
    sign_in(client)
    assert get(client, list_url(CrontabSchedule)).text.count("data-row") == 1
    assert get(client, row_url(crontab)).text
    good = {"minute": "0", "hour": "6", "day_of_month": "*", "month_of_year": "*", "day_of_week": "*"}
    assert client.post(row_url(crontab), {**good, "timezone": "Europe/Paris"}).status_code == 302
    assert Reader(refusal).read()[0].keys() == {"broken"}


def test_a_zone_that_is_gone_keeps_its_name_when_the_row_is_saved() -> None:
    _crontab(timezone="Mars/Olympus")
    crontab = CrontabSchedule.objects.get()
    crontab.minute = "5"
    crontab.save()
    assert str(CrontabSchedule.objects.get().timezone) == "Mars/Olympus"
