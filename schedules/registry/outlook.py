"""What stands and what comes: each schedule's rule in words, its next fire times, or why it has none."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import islice

from django.core.exceptions import ValidationError
from django_celery_beat.models import PeriodicTask

from schedules.definitions import rule_of
from schedules.registry.problems import UnknownSchedule
from schedules.timing.rule import Rule
from schedules.validation import validate

_RULES = ("interval", "crontab", "clocked", "solar", "slotbeat")


@dataclass(frozen=True, slots=True)
class Outlook:
    """One schedule; `problem` says why it cannot run, empty when it can; a paused one has no next fire time."""

    name: str
    task: str
    rule: str
    enabled: bool
    next_fire_time: datetime | None
    problem: str


def outlooks(now: datetime) -> Iterator[Outlook]:
    """Every schedule in order of its name."""
    for row in PeriodicTask.objects.select_related(*_RULES).order_by("name"):
        problem = problem_of(row)
        ahead = None if problem or not row.enabled else rule_of(row).next_after(now)
        yield Outlook(row.name, row.task, rule_in_words(row), row.enabled, ahead, problem)


def find(name: str) -> PeriodicTask:
    """The schedule of that name. Raises UnknownSchedule, with the nearest name."""
    row = PeriodicTask.objects.select_related(*_RULES).filter(name=name).first()
    if row is None:
        close = difflib.get_close_matches(name, PeriodicTask.objects.values_list("name", flat=True), n=1)
        remedy = f"did you mean {close[0]!r}?" if close else "`schedules list` shows the names"
        raise UnknownSchedule(f"no schedule is named {name!r}: {remedy}")
    return row


def next_fire_times(row: PeriodicTask, now: datetime, count: int) -> list[datetime]:
    """The next fire times after `now` in UTC, at most `count`; also of a paused schedule. Raises InvalidRule."""
    return list(islice(_ahead(rule_of(row), now), count))


def zone_of(row: PeriodicTask) -> tzinfo:
    """The zone the schedule is meant in: its crontab's, else UTC."""
    zone: tzinfo = row.crontab.timezone if row.crontab else UTC
    return zone


def problem_of(row: PeriodicTask) -> str:
    """Why the schedule cannot run; empty when it can."""
    try:
        validate(row)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def rule_in_words(row: PeriodicTask) -> str:
    """As in `every 2 seconds`, `0 6 * * * (Europe/Moscow)` or `once at 2026-01-31T06:00:00+00:00`."""
    if row.crontab:
        crontab = row.crontab
        fields = (crontab.minute, crontab.hour, crontab.day_of_month, crontab.month_of_year, crontab.day_of_week)
        return f"{' '.join(fields)} ({crontab.timezone})"
    if row.clocked:
        return f"once at {row.clocked.clocked_time.isoformat()}"
    return str(row.interval or row.solar or "none")


def _ahead(rule: Rule, now: datetime) -> Iterator[datetime]:
    fire_time = rule.next_after(now)
    while fire_time is not None:
        yield fire_time
        fire_time = rule.next_after(fire_time)
