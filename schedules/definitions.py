"""Definition: django-celery-beat's rows and our options as compact values; what cannot run is told with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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

_PART = 1000
_KINDS = ("interval", "crontab", "clocked", "solar")
_ENABLED = PeriodicTask.objects.filter(enabled=True)
# What a definition is made of; last_run_at and total_run_count move with every run and are no part of it.
_WHAT_COUNTS = (
    *("name", "task", "args", "kwargs", "queue", "exchange", "routing_key", "headers", "priority", "expires"),
    *("expire_seconds", "one_off", "start_time", "date_changed", "interval__every", "interval__period"),
    *("crontab__minute", "crontab__hour", "crontab__day_of_month", "crontab__month_of_year", "crontab__day_of_week"),
    *("crontab__timezone", "clocked__clocked_time", "solar_id", "slotbeat__catch_up", "slotbeat__overlap"),
    *("slotbeat__catchup_window_seconds", "slotbeat__catchup_limit", "slotbeat__lease_seconds"),
)


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


class Reader:
    """Reads every enabled schedule and builds again only those whose rows have changed since the last time.

    `refuse` says why a definition cannot run, or nothing; it is asked once for each change.
    """

    def __init__(self, refuse: Callable[[Definition], str] = lambda _definition: "") -> None:
        self._refuse = refuse
        self._known: dict[str, tuple[tuple[Any, ...], Definition | Rejected]] = {}

    def read(self) -> tuple[dict[str, Definition], dict[str, Rejected]]:
        """Every enabled schedule by name: those that can run, and those that cannot."""
        rows = {row[0]: row for row in _ENABLED.values_list(*_WHAT_COUNTS)}
        changed = [name for name, row in rows.items() if self._known.get(name, ((), None))[0] != row]
        built = {row.name: self._build(row) for row in _in_parts(changed)}
        self._known = {
            name: (row, built[name]) if name in built else self._known[name]
            for name, row in rows.items()
            if name in built or name in self._known
        }
        outcomes = {name: outcome for name, (_, outcome) in self._known.items()}
        return (
            {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Definition)},
            {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Rejected)},
        )

    def _build(self, row: PeriodicTask) -> Definition | Rejected:
        try:
            definition = define(row)
        except ValueError as error:
            return Rejected(row.name, str(error))
        reason = self._refuse(definition)
        return Rejected(row.name, reason) if reason else definition


def _in_parts(names: Sequence[str]) -> Iterator[PeriodicTask]:
    for start in range(0, len(names), _PART):
        yield from _ENABLED.filter(name__in=names[start : start + _PART]).select_related(*_KINDS, "slotbeat")


def define(row: PeriodicTask, options: ScheduleOptions | None = None) -> Definition:
    """The definition of one row. Raises ValueError (InvalidRule among them) with the reason when it cannot run."""
    options = options or getattr(row, "slotbeat", None) or ScheduleOptions(periodic_task=row)
    rule = rule_of(row)
    return Definition(
        name=row.name,
        rule=rule,
        since=row.date_changed or EPOCH,
        misfire=_misfire_policy(rule.rule, options),  # its start and end say nothing of its rhythm
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


def interval_of(every: int, period: str, anchor: datetime = EPOCH) -> Interval:
    """The rule of an IntervalSchedule's fields. Raises InvalidRule."""
    try:
        return Interval(timedelta(**{period: every}), anchor)
    except OverflowError as error:
        raise InvalidRule(f"every {every} {period} is too long: the longest interval is 100 years") from error


def _unbounded_rule(row: PeriodicTask) -> Rule:
    if row.interval:
        return interval_of(row.interval.every, row.interval.period, row.start_time or EPOCH)
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
