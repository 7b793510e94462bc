"""`schedules apply`: a file is applied whole or not at all, and a second time changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask

from schedules.models import ScheduleOptions
from schedules.registry.apply import apply
from tests.support.schedules import schedule_row
from tests.support.workers import together

pytestmark = pytest.mark.django_db

SAMPLE = Path(__file__).parents[3] / "examples" / "schedules.yaml"
SLOTS = """
schedules:
  slots:
    task: fan_out
    kwargs: {job: sync_feed, params: {feed: slots}}
    every: 2 seconds
"""
Applier = Callable[..., str]


@pytest.fixture
def apply_text(tmp_path: Path) -> Applier:
    def apply_it(text: str, *options: str) -> str:
        file = tmp_path / "schedules.yaml"
        file.write_text(text, encoding="utf-8")
        out = StringIO()
        call_command("schedules", "apply", str(file), *options, stdout=out)
        return out.getvalue().strip()

    return apply_it


def snapshot() -> list[object]:
    return [list(model.objects.order_by("pk").values()) for model in (PeriodicTask, ScheduleOptions, IntervalSchedule)]


def test_the_sample_holds_the_six_processes_and_housekeeping() -> None:
    applied = apply(SAMPLE)
    assert applied.created == ("slots", "bids", "sales", "ads", "statistics", "finances", "housekeeping")
    assert str(PeriodicTask.objects.get(name="slots").interval) == "every 2 seconds"
    finances = PeriodicTask.objects.get(name="finances")
    assert (finances.crontab.hour, str(finances.crontab.timezone)) == ("6", "Europe/Moscow")
    assert json.loads(finances.kwargs) == {"job": "sync_feed", "params": {"feed": "finances"}}
    assert finances.slotbeat.lease_seconds == 900
    bids, sales = (PeriodicTask.objects.get(name=name) for name in ("bids", "sales"))
    assert bids.crontab_id == sales.crontab_id


def test_applying_again_touches_nothing() -> None:
    apply(SAMPLE)
    before = snapshot()
    with CaptureQueriesContext(connection) as queries:
        applied = apply(SAMPLE)
    assert (applied.created, applied.changed, len(applied.unchanged)) == ((), {}, 7)
    assert snapshot() == before
    assert not [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


def test_a_dry_run_tells_and_changes_nothing(apply_text: Applier) -> None:
    assert apply_text(SLOTS, "--dry-run").splitlines() == [
        "created slots",
        "dry run, nothing applied: 1 created, 0 changed, 0 unchanged",
    ]
    assert not PeriodicTask.objects.exists()
    assert not IntervalSchedule.objects.exists()


def test_only_what_differs_is_written_and_told(apply_text: Applier) -> None:
    apply_text(SLOTS)
    PeriodicTask.objects.update(total_run_count=7)
    before = PeriodicTask.objects.get()
    changed = SLOTS.replace("2 seconds", "5 seconds") + "    options: {lease_seconds: 60}\n    description: Slots\n"
    assert apply_text(changed).splitlines() == [
        "changed slots: description, interval, options.lease_seconds",
        "0 created, 1 changed, 0 unchanged",
    ]
    after = PeriodicTask.objects.get()
    assert (after.pk, after.description, after.interval.every, after.total_run_count) == (before.pk, "Slots", 5, 7)
    assert after.date_changed > before.date_changed
    assert after.slotbeat.lease_seconds == 60
    assert IntervalSchedule.objects.filter(every=2).exists()


def test_options_alone_leave_the_row_and_its_fire_times(apply_text: Applier) -> None:
    apply_text(SLOTS)
    before = PeriodicTask.objects.get().date_changed
    apply_text(SLOTS + "    options: {catch_up: all, catchup_limit: 5, overlap: allow_all}\n")
    after = PeriodicTask.objects.get()
    assert (after.date_changed, after.slotbeat.catch_up, after.slotbeat.overlap) == (before, "all", "allow_all")


def test_a_field_taken_out_of_the_file_has_its_default_again(apply_text: Applier) -> None:
    apply_text(
        SLOTS + "    queue: accounts\n    priority: 3\n    expire_seconds: 9\n    options: {lease_seconds: 60}\n"
    )
    assert "changed slots: queue, priority, expire_seconds, options.lease_seconds" in apply_text(SLOTS)
    row = PeriodicTask.objects.get()
    assert (row.queue, row.priority, row.expire_seconds, row.slotbeat.lease_seconds) == (None, None, None, 900)


def test_a_schedule_that_a_person_paused_stays_paused_unless_the_file_speaks_of_it(apply_text: Applier) -> None:
    apply_text(SLOTS)
    PeriodicTask.objects.update(enabled=False)
    assert apply_text(SLOTS) == "0 created, 0 changed, 1 unchanged"
    assert not PeriodicTask.objects.get().enabled
    assert "changed slots: enabled" in apply_text(SLOTS + "    enabled: true\n")
    assert PeriodicTask.objects.get().enabled


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("crontab: '0 6 * * *'", "crontab"),
        ("at: 2030-01-31T06:00:00+03:00", "clocked"),
        ("every: 500 milliseconds", "interval"),
    ],
)
def test_a_schedule_changes_its_kind_of_rule(apply_text: Applier, rule: str, kind: str) -> None:
    apply_text(SLOTS)
    text = SLOTS.replace("every: 2 seconds", rule)
    assert "1 changed" in apply_text(text)
    row = PeriodicTask.objects.get()
    assert [name for name in ("interval", "crontab", "clocked") if getattr(row, name)] == [kind]
    assert row.one_off == (kind == "clocked")
    assert apply_text(text) == "0 created, 0 changed, 1 unchanged"


def test_equal_rule_rows_are_used_again(apply_text: Applier) -> None:
    CrontabSchedule.objects.create(minute="0", hour="6", timezone="Europe/Moscow")
    ClockedSchedule.objects.create(clocked_time=datetime(2030, 1, 31, 3, tzinfo=UTC))
    apply_text(
        """
schedules:
  a: {task: fan_out, kwargs: {job: sync_feed, params: {feed: a}}, crontab: 0 6 * * *, timezone: Europe/Moscow}
  b: {task: fan_out, kwargs: {job: sync_feed, params: {feed: a}}, at: 2030-01-31T06:00:00+03:00}
"""
    )
    assert CrontabSchedule.objects.count() == ClockedSchedule.objects.count() == 1


def test_schedules_that_the_file_does_not_name_are_left_alone(apply_text: Applier) -> None:
    schedule_row("other", kwargs='{"job": "sync_feed", "params": {"feed": "a"}}')
    before = PeriodicTask.objects.get().date_changed
    apply_text(SLOTS)
    assert PeriodicTask.objects.get(name="other").date_changed == before


def test_arguments_are_compared_as_json_not_as_text(apply_text: Applier) -> None:
    apply_text(SLOTS)
    PeriodicTask.objects.update(kwargs='{ "params": {"feed":"slots"},  "job": "sync_feed" }')
    assert apply_text(SLOTS) == "0 created, 0 changed, 1 unchanged"
    PeriodicTask.objects.update(kwargs="{")
    assert "changed slots: kwargs" in apply_text(SLOTS)


def test_one_problem_and_nothing_of_the_file_is_applied(apply_text: Applier) -> None:
    second = "  b:\n    every: 1 day\n    task: fan_ou\n"
    with pytest.raises(CommandError, match=r"schedules\.yaml:9: b\.task: .*did you mean 'fan_out'") as caught:
        apply_text(SLOTS + second)
    assert caught.value.returncode == 1
    assert not PeriodicTask.objects.exists()
    assert not IntervalSchedule.objects.exists()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.yaml cannot be read: No such file"):
        call_command("schedules", "apply", str(tmp_path / "nowhere.yaml"))


@pytest.mark.django_db(transaction=True)
def test_two_appliers_at_once_create_each_schedule_once() -> None:
    outcomes = together(2, lambda _: apply(SAMPLE))
    assert sorted(len(outcome.created) for outcome in outcomes) == [0, 7]
    assert PeriodicTask.objects.count() == 7
    connections.close_all()
