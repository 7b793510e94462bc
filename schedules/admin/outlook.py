"""What the pages say about a schedule: its rule in words, what is wrong with it, and when it fires next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.exceptions import ValidationError
from django_celery_beat.models import PeriodicTask

from schedules.definitions import define, rule_of
from schedules.models import ScheduleOptions
from schedules.validation import validate

KINDS = ("interval", "crontab", "clocked", "solar")


@dataclass(frozen=True, slots=True)
class Outlook:
    """`problem` is empty for a schedule that can run; `next_fire_time` is None when it will not fire."""

    problem: str
    next_fire_time: datetime | None


def outlook(row: PeriodicTask, now: datetime) -> Outlook:
    """How the schedule stands at `now`."""
    problem = problem_of(row)
    if problem or not row.enabled:
        return Outlook(problem, None)
    return Outlook("", define(row).rule.next_after(now))


def problem_of(row: PeriodicTask, options: ScheduleOptions | None = None) -> str:
    """Why the schedule cannot run, with `options` or those it has; empty when it can."""
    try:
        validate(row, options)
    except ValidationError as error:
        return reason(error)
    return ""


def reason(error: Exception) -> str:
    """The sentences of an error."""
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    return str(error)


def upcoming(row: PeriodicTask, now: datetime, count: int) -> list[datetime]:
    """The next `count` fire times after `now`, or fewer; none for a schedule that cannot run."""
    if problem_of(row):
        return []
    rule, instants = rule_of(row), [now]
    while len(instants) <= count and (instant := rule.next_after(instants[-1])) is not None:
        instants.append(instant)
    return instants[1:]


def kind_of(row: PeriodicTask) -> str:
    """Which of the four kinds of rule the schedule has; empty when it has none."""
    return next((kind for kind in KINDS if getattr(row, f"{kind}_id")), "")


def rule_in_words(row: PeriodicTask) -> str:
    """The rule for a reader, with the zone where it matters."""
    kind = kind_of(row)
    if kind == "crontab":
        return str(row.crontab.human_readable)
    if kind == "clocked":
        return f"once at {row.clocked.clocked_time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return str(getattr(row, kind)) if kind else "no rule"
