"""What stands and what comes: each schedule's rule in words, its next fire times, or why it has none."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django_celery_beat.models import PeriodicTask

from schedules.definitions import Definition, define
from schedules.models import ScheduleOptions
from schedules.registry.problems import UnknownSchedule
from schedules.rules import options_of, rule_of, unbounded_rule_of, zone_of
from schedules.timing.preview import FireTime, preview, wait_in_words
from schedules.timing.rule import InvalidRule, Rule
from schedules.timing.words import in_words
from schedules.validation import validate

_RULES = ("interval", "crontab", "clocked", "solar", "slotbeat__calendar")


@dataclass(frozen=True, slots=True)
class Outlook:
    """One schedule; `problem` says why it cannot run, empty when it can; a paused one has no next fire time."""

    name: str
    task: str
    rule: str
    enabled: bool
    next_fire_time: datetime | None
    problem: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """Fire times to be shown in `zone`; `message` says that the first is far away or that there is none."""

    fire_times: Sequence[FireTime]
    zone: ZoneInfo
    message: str


def outlooks(now: datetime) -> Iterator[Outlook]:
    """Every schedule in order of its name."""
    for row in _rows().order_by("name"):
        problem = problem_of(row)
        ahead = None if problem or not row.enabled else rule_of(row).next_after(now)
        yield Outlook(row.name, row.task, rule_in_words(row), row.enabled, ahead, problem)


def find(name: str) -> PeriodicTask:
    """The schedule of that name. Raises UnknownSchedule, with the nearest name."""
    row = _rows().filter(name=name).first()
    if row is None:
        close = difflib.get_close_matches(name, PeriodicTask.objects.values_list("name", flat=True), n=1)
        remedy = f"did you mean {close[0]!r}?" if close else "`schedules list` shows the names"
        raise UnknownSchedule(f"no schedule is named {name!r}: {remedy}")
    return row


def forecast(row: PeriodicTask, after: datetime, count: int, zone: ZoneInfo | None = None) -> Forecast:
    """The next `count` fire times after `after`, also of a paused schedule, in `zone` or the schedule's own.

    Raises ValidationError when the schedule cannot run.
    """
    validate(row)
    definition = define(row)
    zone = zone or zone_of(row, options_of(row))
    runs = _runs_left(definition)
    if runs == 0:
        return Forecast((), zone, f"no fire time: it has had all its {definition.max_runs} runs")
    ahead = forecast_of(definition.rule, after, count, zone, definition.jitter)
    return ahead if runs is None else Forecast(_at_most(ahead.fire_times, runs), zone, ahead.message)


def forecast_of(rule: Rule, after: datetime, count: int, zone: ZoneInfo, jitter: timedelta = timedelta(0)) -> Forecast:
    """The next `count` fire times of a rule, whether or not a schedule has it."""
    fire_times = preview(rule, after, count, zone, jitter)
    return Forecast(fire_times, zone, wait_in_words(rule, after, fire_times, zone))


def problem_of(row: PeriodicTask, options: ScheduleOptions | None = None) -> str:
    """Why the schedule cannot run, with `options` or those it has; empty when it can."""
    try:
        validate(row, options)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def rule_in_words(row: PeriodicTask) -> str:
    """As in `every 2 seconds` or `at 06:00 every day (Europe/Moscow)`; as it is stored where it cannot be read."""
    try:
        return in_words(unbounded_rule_of(row, options_of(row)))
    except InvalidRule:
        return _as_stored(row)


def _as_stored(row: PeriodicTask) -> str:
    if row.crontab:
        crontab = row.crontab
        fields = (crontab.minute, crontab.hour, crontab.day_of_month, crontab.month_of_year, crontab.day_of_week)
        return f"{' '.join(fields)} ({crontab.timezone})"
    return str(row.interval or row.clocked or row.solar or "no rule")


def _rows() -> QuerySet[PeriodicTask]:
    rows: QuerySet[PeriodicTask] = PeriodicTask.objects.select_related(*_RULES)
    return rows.prefetch_related("slotbeat__calendar__dates")


def _runs_left(definition: Definition) -> int | None:
    limits = [1] if definition.one_off else []
    if definition.max_runs is not None:
        limits.append(max(0, definition.max_runs - definition.runs_before))
    return min(limits, default=None)


def _at_most(fire_times: Sequence[FireTime], runs: int) -> tuple[FireTime, ...]:
    """Up to the one that is the last run; what is excluded is none."""
    so_far = accumulate(int(each.fires) for each in fire_times)
    return tuple(
        each for each, runs_by_then in zip(fire_times, so_far, strict=True) if runs_by_then - each.fires < runs
    )
