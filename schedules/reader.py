"""Reads the definitions from the database: the one look that a beat takes at what people have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django_celery_beat.models import PeriodicTask

from schedules.definitions import Definition, define
from schedules.models import CalendarDate

_PART = 1000
_KINDS = ("interval", "crontab", "clocked", "solar")
_ENABLED = PeriodicTask.objects.filter(enabled=True)
# What a definition is made of; last_run_at and total_run_count move with every run and are no part of it.
_WHAT_COUNTS = (
    *("name", "task", "args", "kwargs", "queue", "exchange", "routing_key", "headers", "priority", "expires"),
    *("expire_seconds", "one_off", "start_time", "date_changed", "interval__every", "interval__period"),
    *("crontab__minute", "crontab__hour", "crontab__day_of_month", "crontab__month_of_year", "crontab__day_of_week"),
    *("solar__event", "solar__latitude", "solar__longitude"),
    *("crontab__timezone", "clocked__clocked_time", "slotbeat__catch_up", "slotbeat__overlap"),
    *("slotbeat__catchup_window_seconds", "slotbeat__catchup_limit", "slotbeat__catchup_pace_seconds"),
    *("slotbeat__catch_up_from", "slotbeat__catch_up_resumed_at", "slotbeat__lease_seconds"),
    *("slotbeat__seconds", "slotbeat__month_day"),
    *("slotbeat__ends_at", "slotbeat__max_runs", "slotbeat__jitter_seconds", "slotbeat__interval_zone"),
)


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
        dates = _dates_of_calendars()
        rows = {
            name: (name, *rest, dates.get(calendar, ()))
            for calendar, name, *rest in _ENABLED.values_list("slotbeat__calendar_id", *_WHAT_COUNTS)
        }
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
        yield from (
            _ENABLED.filter(name__in=names[start : start + _PART])
            .select_related(*_KINDS, "slotbeat__calendar")
            .prefetch_related("slotbeat__calendar__dates")
        )


def _dates_of_calendars() -> dict[int, tuple[date, ...]]:
    """Few rows, read each time: a holiday added by any means counts at once."""
    found: dict[int, tuple[date, ...]] = {}
    for calendar, day in CalendarDate.objects.order_by("date").values_list("calendar_id", "date"):
        found[calendar] = (*found.get(calendar, ()), day)
    return found
