"""From rows to definitions: every kind, every reason for a rejection, and the cost of a second look."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, PeriodicTask, SolarSchedule

from schedules.definitions import Definition
from schedules.models import ScheduleOptions
from schedules.reader import Reader, Rejected
from schedules.stamp import Overlap
from schedules.timing.crontab import Crontab
from schedules.timing.interval import EPOCH, Interval
from schedules.timing.misfire import CatchUp
from schedules.timing.rule import Bounded, Once
from tests.support.rules import take, utc, utcs
from tests.support.schedules import NINE, every, schedule_row, seconds

pytestmark = pytest.mark.django_db


def _crontab(expression: str, zone: str = "UTC") -> CrontabSchedule:
    minute, hour, day, month, weekday = expression.split()
    row: CrontabSchedule = CrontabSchedule.objects.create(
        minute=minute, hour=hour, day_of_month=day, month_of_year=month, day_of_week=weekday, timezone=zone
    )
    return row


def _only() -> Definition:
    definitions, rejected = Reader().read()
    assert rejected == {}
    (found,) = definitions.values()
    return found


def _force(name: str = "broken", **changes: Any) -> None:
    """A row as raw SQL or a bulk update could leave it: no signal has looked at it."""
    schedule_row(name)
    PeriodicTask.objects.filter(name=name).update(**changes)


@pytest.mark.parametrize(
    ("count", "period", "step"),
    [
        (3, "days", timedelta(days=3)),
        (2, "hours", timedelta(hours=2)),
        (90, "minutes", timedelta(minutes=90)),
        (1, "seconds", timedelta(seconds=1)),
        (150_000, "microseconds", timedelta(milliseconds=150)),
    ],
)
def test_intervals_of_every_period(count: int, period: str, step: timedelta) -> None:
    schedule_row(interval=every(count, period))
    assert _only().rule == Bounded(Interval(step, EPOCH))


def test_an_interval_is_anchored_at_its_start_time() -> None:
    schedule_row(start_time=NINE + seconds(3), expires=NINE + seconds(35))
    found = _only()
    assert found.rule == Bounded(Interval(seconds(10), NINE + seconds(3)), NINE + seconds(3), NINE + seconds(35))
    assert take(found.rule, EPOCH, 9) == [NINE + seconds(n) for n in (3, 13, 23, 33)]


def test_a_crontab_in_its_zone() -> None:
    schedule_row(crontab=_crontab("30 2 * * sun", "America/New_York"))
    found = _only()
    assert found.rule == Bounded(Crontab("30", "2", "*", "*", "sun", ZoneInfo("America/New_York")))
    assert take(found.rule, utc("2026-03-07T07:30"), 1) == utcs("2026-03-08T07:00")


def test_a_clocked_row_fires_once() -> None:
    schedule_row(clocked=ClockedSchedule.objects.create(clocked_time=NINE), one_off=True)
    found = _only()
    assert (found.rule, found.one_off) == (Bounded(Once(NINE)), True)


def test_a_row_without_options_has_the_defaults() -> None:
    row = schedule_row()
    found = _only()
    assert (found.misfire.catch_up, found.misfire.window, found.misfire.limit) == (CatchUp.LATEST, seconds(60), 100)
    assert (found.overlap, found.lease_seconds) == (Overlap.SKIP, 900)
    assert (found.one_off, found.expire_seconds, found.since) == (False, None, row.date_changed)


def test_a_rows_options_are_in_its_definition() -> None:
    options = {"catch_up": "all", "catchup_window_seconds": 120, "catchup_limit": 7}
    schedule_row(options={**options, "overlap": "allow_all", "lease_seconds": 30}, expire_seconds=20)
    found = _only()
    assert (found.misfire.catch_up, found.misfire.window, found.misfire.limit) == (CatchUp.ALL, seconds(120), 7)
    assert (found.overlap, found.lease_seconds, found.expire_seconds) == (Overlap.ALLOW_ALL, 30, 20)


@pytest.mark.parametrize(
    ("expression", "window"),
    [("0 15 * * *", timedelta(hours=12)), ("0 * * * *", timedelta(minutes=30)), ("* * * * *", timedelta(minutes=1))],
)
def test_the_default_window_follows_the_period(expression: str, window: timedelta) -> None:
    schedule_row(crontab=_crontab(expression))
    assert _only().misfire.window == window


def test_the_default_window_follows_the_period_also_of_a_schedule_that_starts_late_and_ends_soon() -> None:
    schedule_row(interval=every(4, "hours"), start_time=NINE, expires=NINE + timedelta(hours=1))
    assert _only().misfire.window == timedelta(hours=2)


def test_arguments_and_message_options_are_read() -> None:
    kwargs = '{"job": "sync_feed", "params": {"feed": "x", "limit": 5}}'
    schedule_row(kwargs=kwargs, headers='{"origin": "x"}', queue="accounts", priority=0)
    found = _only()
    assert (found.args, found.kwargs) == ([], {"job": "sync_feed", "params": {"feed": "x", "limit": 5}})
    assert found.options == {"headers": {"origin": "x"}, "queue": "accounts", "priority": 0}


@pytest.mark.parametrize(
    ("changes", "telling"),
    [
        ({"interval": None}, "no interval, crontab, clocked time or solar event"),
        ({"args": "[1"}, "args is not JSON"),
        ({"args": '{"a": 1}'}, "args must be a JSON array"),
        ({"kwargs": "[]"}, "kwargs must be a JSON object"),
        ({"kwargs": "{'a': 1}"}, 'write it as in {"job": "sync_feed"}'),
        ({"kwargs": '{"a": NaN}'}, "NaN is not a JSON value"),
        ({"headers": "[1]"}, "headers must be a JSON object"),
    ],
)
def test_a_row_that_cannot_run_is_rejected_with_a_reason_and_the_others_go_on(
    changes: dict[str, Any], telling: str
) -> None:
    schedule_row("healthy")
    _force(**changes)
    definitions, rejected = Reader().read()
    assert list(definitions) == ["healthy"]
    assert list(rejected) == ["broken"]
    assert telling in rejected["broken"].reason


def test_b09_b16_rules_that_cannot_fire_are_rejected_with_a_reason() -> None:
    schedule_row("healthy", crontab=_crontab("0 10 * * *"))
    _force("never", interval=None, crontab=_crontab("0 10 31 2 *"))
    _force("unreadable", interval=None, crontab=_crontab("0 10 * * mon#1"))
    sun = SolarSchedule.objects.create(event="sunrise", latitude="69.65", longitude="18.96")
    SolarSchedule.objects.filter(pk=sun.pk).update(latitude="90.5")
    _force("solar", interval=None, solar=sun)
    _force("short", interval=every(99_999, "microseconds"))
    definitions, rejected = Reader().read()
    assert list(definitions) == ["healthy"]
    reasons = {name: rejected[name].reason for name in ("never", "unreadable", "solar", "short")}
    assert "31" in reasons["never"] or "day" in reasons["never"]
    assert "day of week 'mon#1' cannot be read" in reasons["unreadable"]
    assert "latitude 90.5 is out of range" in reasons["solar"]
    assert "shortest interval is 100 milliseconds" in reasons["short"]


def test_options_of_unknown_words_are_rejected_by_name() -> None:
    schedule_row("healthy")
    schedule_row("broken", options={"overlap": "maybe"})
    definitions, rejected = Reader().read()
    assert list(definitions) == ["healthy"]
    assert rejected == {"broken": Rejected("broken", "'maybe' is not a valid Overlap")}


def test_disabled_rows_are_not_read_in_whatever_state() -> None:
    _force(kwargs="{", enabled=False)
    assert Reader().read() == ({}, {})


def test_a_second_look_builds_only_what_has_changed() -> None:
    for n in range(5):
        schedule_row(f"s{n}")
    reader = Reader()
    first, _ = reader.read()
    with CaptureQueriesContext(connection) as queries:
        assert reader.read() == (first, {})
    assert len(queries) == 2  # the rows, and the dates of calendars
    PeriodicTask.objects.filter(name="s3").update(priority=5)
    with CaptureQueriesContext(connection) as queries:
        changed, _ = reader.read()
    assert len(queries) == 3
    assert {name for name in first if changed[name] is not first[name]} == {"s3"}
    assert changed["s3"].options["priority"] == 5


def test_runs_are_no_change() -> None:
    schedule_row()
    reader = Reader()
    (before,) = reader.read()[0].values()
    PeriodicTask.objects.update(last_run_at=NINE, total_run_count=9)
    assert reader.read()[0]["a"] is before


def _touch_options(row: PeriodicTask) -> None:
    ScheduleOptions.objects.create(periodic_task=row, catchup_limit=3)


def _touch_interval(row: PeriodicTask) -> None:
    type(row.interval).objects.filter(pk=row.interval_id).update(every=20)


@pytest.mark.parametrize("touch", [_touch_options, _touch_interval])
def test_b17_a_change_beside_the_row_counts(touch: Any) -> None:
    row = schedule_row()
    reader = Reader()
    (before,) = reader.read()[0].values()
    touch(row)
    assert reader.read()[0]["a"] != before


def test_b17_disabled_renamed_and_deleted_rows_are_gone_and_repaired_ones_are_back() -> None:
    for name in ("disabled", "renamed", "deleted", "repaired"):
        schedule_row(name)
    PeriodicTask.objects.filter(name="repaired").update(kwargs="{")
    reader = Reader()
    assert sorted(reader.read()[0]) == ["deleted", "disabled", "renamed"]
    PeriodicTask.objects.filter(name="disabled").update(enabled=False)
    PeriodicTask.objects.filter(name="renamed").update(name="named")
    PeriodicTask.objects.filter(name="deleted").delete()
    PeriodicTask.objects.filter(name="repaired").update(kwargs="{}")
    definitions, rejected = reader.read()
    assert (sorted(definitions), rejected) == (["named", "repaired"], {})


def test_the_change_of_a_row_is_when_it_was_saved_in_utc() -> None:
    before: datetime = schedule_row().date_changed
    assert _only().since == before
    assert before.utcoffset() == timedelta(0)
