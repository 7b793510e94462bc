"""What the pages say about a schedule: its rule in words, what is wrong with it, and when it fires next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from schedules.registry.outlook import problem_of, rule_in_words
from schedules.rules import rule_of

__all__ = ["KINDS", "Outlook", "crontab_in_words", "kind_of", "outlook", "problem_of", "reason", "rule_in_words"]

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
    return Outlook("", rule_of(row).next_after(now))


def reason(error: Exception) -> str:
    """The sentences of an error."""
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    return str(error)


def kind_of(row: PeriodicTask) -> str:
    """Which of the four kinds of rule the schedule has; empty when it has none."""
    return next((kind for kind in KINDS if getattr(row, f"{kind}_id")), "")


def crontab_in_words(crontab: CrontabSchedule) -> str:
    """For a reader; as it is stored where it makes no sense."""
    return rule_in_words(PeriodicTask(crontab=crontab))
