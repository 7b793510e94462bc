"""Definition: django-celery-beat's rows and our options as compact values; what cannot run is told with a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django_celery_beat.models import PeriodicTask

from schedules.conf import conf
from schedules.models import ScheduleOptions
from schedules.rules import options_of, period_of, rule_of
from schedules.stamp import Overlap
from schedules.timing.interval import EPOCH
from schedules.timing.jitter import offset_of
from schedules.timing.misfire import CatchUp, MisfirePolicy, default_window
from schedules.timing.rule import Bounded, InvalidRule, Rule

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Definition:
    """One enabled schedule as the beat needs it.

    `since` is when its row was last saved, in UTC; `asked_from` goes before it where a resume asked for the time of
    the pause. `jitter` is how long after its fire time a slot is handed over. `runs_before` are those counted so far.
    """

    name: str
    rule: Rule
    since: datetime
    misfire: MisfirePolicy
    overlap: Overlap
    lease_seconds: int
    task: str
    one_off: bool = False
    asked_from: datetime | None = None
    jitter: timedelta = timedelta(0)
    max_runs: int | None = None
    runs_before: int = 0
    expire_seconds: int | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def define(row: PeriodicTask, options: ScheduleOptions | None = None) -> Definition:
    """The definition of one row. Raises ValueError (InvalidRule among them) with the reason when it cannot run."""
    options = options or options_of(row)
    rule = rule_of(row, options)
    return Definition(
        name=row.name,
        rule=rule,
        since=row.date_changed or EPOCH,
        misfire=_misfire_policy(rule.rule, options),  # its start and end say nothing of its rhythm
        overlap=Overlap(options.overlap),
        lease_seconds=options.lease_seconds,
        task=row.task,
        one_off=row.one_off,
        asked_from=options.catch_up_from if options.catch_up_resumed_at == row.date_changed else None,
        jitter=_jitter(row, rule, options),
        max_runs=options.max_runs,
        runs_before=row.total_run_count,
        expire_seconds=row.expire_seconds,
        args=_json(row.args, list, "args", "[1, 2]") if row.args else [],
        kwargs=_json(row.kwargs, dict, "kwargs", '{"job": "sync_feed"}') if row.kwargs else {},
        options=_message_options(row),
    )


def _misfire_policy(rule: Rule, options: ScheduleOptions) -> MisfirePolicy:
    seconds = options.catchup_window_seconds
    return MisfirePolicy(
        catch_up=CatchUp(options.catch_up),
        window=timedelta(seconds=seconds) if seconds else default_window(period_of(rule)),
        on_time=timedelta(seconds=conf().on_time_seconds),
        limit=options.catchup_limit,
        pace=timedelta(seconds=options.catchup_pace_seconds),
    )


def _jitter(row: PeriodicTask, rule: Bounded, options: ScheduleOptions) -> timedelta:
    window = timedelta(seconds=options.jitter_seconds)
    if window and window >= period_of(rule.rule):
        raise InvalidRule(
            f"jitter_seconds {options.jitter_seconds} is not shorter than the time between two slots "
            f"({period_of(rule.rule)}): take less"
        )
    return offset_of(row.name, window)


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
