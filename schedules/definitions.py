"""Definition: django-celery-beat's rows and our options as compact values; what cannot run is told with a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django_celery_beat.models import PeriodicTask

from schedules.conf import conf
from schedules.models import ScheduleOptions
from schedules.stamp import Overlap
from schedules.timing.crontab import Crontab
from schedules.timing.interval import EPOCH, Interval
from schedules.timing.misfire import CatchUp, MisfirePolicy, default_window
from schedules.timing.rule import Bounded, InvalidRule, Once, Rule

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Definition:
    """One enabled schedule as the beat needs it. `since` is when its row was last saved, in UTC."""

    name: str
    rule: Rule
    since: datetime
    misfire: MisfirePolicy
    overlap: Overlap
    lease_seconds: int
    task: str
    one_off: bool = False
    expire_seconds: int | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """An enabled schedule that cannot run, and why."""

    name: str
    reason: str


def read() -> tuple[dict[str, Definition], dict[str, Rejected]]:
    """Every enabled schedule by name, in one query: those that can run, and those that cannot."""
    definitions: dict[str, Definition] = {}
    rejected: dict[str, Rejected] = {}
    rows = PeriodicTask.objects.filter(enabled=True).select_related(
        "interval", "crontab", "clocked", "solar", "slotbeat"
    )
    for row in rows:
        try:
            definitions[row.name] = define(row)
        except ValueError as error:
            rejected[row.name] = Rejected(row.name, str(error))
    return definitions, rejected


def define(row: PeriodicTask, options: ScheduleOptions | None = None) -> Definition:
    """The definition of one row. Raises ValueError (InvalidRule among them) with the reason when it cannot run."""
    options = options or getattr(row, "slotbeat", None) or ScheduleOptions(periodic_task=row)
    rule = rule_of(row)
    return Definition(
        name=row.name,
        rule=rule,
        since=row.date_changed or EPOCH,
        misfire=_misfire_policy(rule, options),
        overlap=Overlap(options.overlap),
        lease_seconds=options.lease_seconds,
        task=row.task,
        one_off=row.one_off,
        expire_seconds=row.expire_seconds,
        args=_json(row.args, list, "args", "[1, 2]") if row.args else [],
        kwargs=_json(row.kwargs, dict, "kwargs", '{"job": "sync_feed"}') if row.kwargs else {},
        options=_message_options(row),
    )


def rule_of(row: PeriodicTask) -> Bounded:
    """When the row fires. Raises InvalidRule."""
    return Bounded(_unbounded_rule(row), start=row.start_time, end=row.expires)


def _unbounded_rule(row: PeriodicTask) -> Rule:
    if row.interval:
        every = timedelta(**{row.interval.period: row.interval.every})
        return Interval(every, anchor=row.start_time or EPOCH)
    if row.crontab:
        crontab = row.crontab
        return Crontab(
            crontab.minute,
            crontab.hour,
            crontab.day_of_month,
            crontab.month_of_year,
            crontab.day_of_week,
            ZoneInfo(str(crontab.timezone)),
        )
    if row.clocked:
        return Once(row.clocked.clocked_time)
    if row.solar:
        raise InvalidRule("solar schedules are not supported yet: use a crontab or an interval")
    raise InvalidRule("it has no interval, crontab or clocked time: set one of them")


def _misfire_policy(rule: Rule, options: ScheduleOptions) -> MisfirePolicy:
    seconds = options.catchup_window_seconds
    return MisfirePolicy(
        catch_up=CatchUp(options.catch_up),
        window=timedelta(seconds=seconds) if seconds else default_window(_period(rule)),
        on_time=timedelta(seconds=conf().on_time_seconds),
        limit=options.catchup_limit,
    )


def _period(rule: Rule) -> timedelta:
    first = rule.next_after(datetime(2024, 1, 1, tzinfo=UTC))
    second = rule.next_after(first) if first else None
    return second - first if first and second else timedelta(days=1)


def _message_options(row: PeriodicTask) -> dict[str, Any]:
    options = {
        "queue": row.queue,
        "exchange": row.exchange,
        "routing_key": row.routing_key,
        "priority": row.priority,
        "headers": _json(row.headers, dict, "headers", '{"origin": "beat"}') if row.headers else None,
    }
    return {name: value for name, value in options.items() if value is not None}


def _json(text: str, expected: type[T], label: str, example: str) -> T:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise ValueError(f"{label} is not JSON ({error}): write it as in {example}") from error
    if not isinstance(value, expected):
        raise ValueError(f"{label} must be a JSON {'array' if expected is list else 'object'}, as in {example}")  # noqa: TRY004 one kind of error for the caller
    return value


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON value")
