"""The rules answer the same whatever the zone of the process and of the settings: asked in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scheduler_project.environment import CHECKOUT

ASK_RULES = """
from datetime import date, timedelta
from zoneinfo import ZoneInfo
from schedules.timing.crontab import Crontab
from schedules.timing.exclusion import Excluding
from schedules.timing.interval import Interval, WallInterval
from schedules.timing.jitter import offset_of
from schedules.timing.misfire import MisfirePolicy, decide
from schedules.timing.rule import Bounded, Once
from schedules.timing.solar import Solar
from tests.support.rules import cron, take, utc

berlin = ZoneInfo("Europe/Berlin")
rules = [
    cron("0 7 * * *", "America/Los_Angeles"),
    cron("15 20 * * *", "Asia/Kathmandu"),
    cron("30 2 * * *", "Europe/Berlin"),
    cron("*/30 * * * *", "America/Santiago"),
    Crontab("0", "0", zone=ZoneInfo("Australia/Sydney"), month_day="last fri", seconds="0,30"),
    Interval(timedelta(hours=5)),
    WallInterval(2, utc("2026-01-01T03:30"), berlin),
    Once(utc("2027-01-01")),
    Bounded(cron("0 0 * * *"), utc("2026-08-01"), utc("2026-12-01")),
    Excluding(cron("0 0 * * *", "Europe/Berlin"), frozenset({date(2026, 7, 17)}), berlin),
    Solar("sunset", 52.5, 13.4),
]
for rule in rules:
    for after in ("2026-07-15T10:00", "2026-10-25T00:15", "2026-09-05T20:00", "2026-04-04T12:00"):
        print(*take(rule, utc(after), 4), rule.previous_before(utc(after)))
due = take(rules[5], utc("2026-07-15T10:00"), 4)
print(decide(due, MisfirePolicy(), due[-1]), offset_of("nightly", timedelta(hours=1)))
"""

# The rows are built in memory: what is asked is how they are read, not where they are stored.
ASK_ROWS = """
import os
from datetime import UTC, datetime
import django
from django.conf import settings
settings.TIME_ZONE, settings.USE_TZ = os.environ["ASKED_ZONE"], os.environ["ASKED_USE_TZ"] == "1"
settings.CELERY_TIMEZONE = settings.TIME_ZONE
django.setup()
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask
from schedules.models import ScheduleOptions
from schedules.rules import rule_of
from tests.support.rules import take, utc

def row(**kind):
    return PeriodicTask(name="a", task="t", **kind)

b18 = CrontabSchedule(minute="0", hour="7", timezone="America/Los_Angeles"), CrontabSchedule(
    minute="15", hour="20", timezone="Asia/Kathmandu")
rows = [
    *(row(crontab=crontab) for crontab in b18),
    row(interval=IntervalSchedule(every=1, period="minutes")),
    row(interval=IntervalSchedule(every=3, period="days"), start_time=utc("2026-07-01T05:00")),
    row(clocked=ClockedSchedule(clocked_time=utc("2026-07-20T09:01"))),
]
for each in rows:
    print(*take(rule_of(each, ScheduleOptions(periodic_task=each)), utc("2026-07-15T10:00"), 3))
wall = ScheduleOptions(periodic_task=rows[3], interval_zone="Europe/Berlin", ends_at=utc("2026-07-20"))
print(*take(rule_of(rows[3], wall), utc("2026-07-15T10:00"), 3))
"""

PLACES = ["UTC", "America/Santiago", "Australia/Sydney", "Asia/Kathmandu"]


def _answers(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_b18_rules_answer_the_same_in_processes_of_every_zone() -> None:
    answers = {_answers(ASK_RULES, TZ=zone) for zone in PLACES}
    assert len(answers) == 1
    first, second = answers.pop().splitlines()[0:8:4]
    assert first.startswith("2026-07-15 14:00:00+00:00")
    assert second.startswith("2026-07-15 14:30:00+00:00")


@pytest.mark.parametrize("use_tz", ["1", "0"])
def test_b14_b18_rows_are_read_the_same_under_every_zone_of_process_and_settings(use_tz: str) -> None:
    places = [("UTC", "UTC"), ("America/Santiago", "Europe/Moscow"), ("Australia/Sydney", "America/New_York")]
    answers = {_answers(ASK_ROWS, TZ=tz, ASKED_ZONE=zone, ASKED_USE_TZ=use_tz) for tz, zone in places}
    assert len(answers) == 1
    assert answers.pop().splitlines() == [
        "2026-07-15 14:00:00+00:00 2026-07-16 14:00:00+00:00 2026-07-17 14:00:00+00:00",
        "2026-07-15 14:30:00+00:00 2026-07-16 14:30:00+00:00 2026-07-17 14:30:00+00:00",
        "2026-07-15 10:01:00+00:00 2026-07-15 10:02:00+00:00 2026-07-15 10:03:00+00:00",
        "2026-07-16 05:00:00+00:00 2026-07-19 05:00:00+00:00 2026-07-22 05:00:00+00:00",
        "2026-07-20 09:01:00+00:00",
        "2026-07-16 05:00:00+00:00 2026-07-19 05:00:00+00:00",
    ]
