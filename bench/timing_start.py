"""What a start costs: rules built from the texts of many rows, and the first next fire time of each.

Run in a process of its own each time, so that no cache is warm: `python -m bench.timing_start ours 100000` prints the
CPU seconds of both steps as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import schedule
from django_celery_beat.tzcrontab import TzAwareCrontab

from bench.timing_mix import Row, rows
from schedules.timing.crontab import Crontab
from schedules.timing.interval import Interval

NOW = datetime(2026, 3, 11, 10, 2, 47, 250_000, tzinfo=UTC)
_APP = Celery("bench", set_as_current=False)


def _ours(row: Row) -> Callable[[], object]:
    if row.fields is not None:
        rule: Crontab | Interval = Crontab(*row.fields, zone=ZoneInfo(row.zone))
    else:
        rule = Interval(timedelta(**{row.period: row.every}))
    return lambda: rule.next_after(NOW)


def _celery(row: Row) -> Callable[[], object]:
    if row.fields is not None:
        minute, hour, day_of_month, month_of_year, day_of_week = row.fields
        rule: Any = TzAwareCrontab(minute, hour, day_of_week, day_of_month, month_of_year, ZoneInfo(row.zone), _APP)
    else:
        rule = schedule(timedelta(**{row.period: row.every}), app=_APP)
    rule.nowfun = lambda: NOW
    return lambda: rule.remaining_estimate(NOW)


def _limit(row: Row) -> Callable[[], object]:
    """No rule at all: to the zone's wall clock and back for a crontab, one addition for an interval."""
    if row.fields is not None:
        zone = ZoneInfo(row.zone)
        return lambda: NOW.astimezone(zone).astimezone(UTC)
    step = timedelta(**{row.period: row.every})
    return lambda: NOW + step


BUILDERS: dict[str, Callable[[Row], Callable[[], object]]] = {"ours": _ours, "celery": _celery, "limit": _limit}


def cpu_seconds(build: Callable[[Row], Callable[[], object]], of: Sequence[Row]) -> dict[str, float]:
    """Seconds of this process's CPU to build every rule, and to ask each of them once."""
    began = time.process_time()
    questions = [build(row) for row in of]
    built = time.process_time()
    for question in questions:
        question()
    return {"build": built - began, "first": time.process_time() - built}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(cpu_seconds(BUILDERS[sys.argv[1]], rows(int(sys.argv[2])))) + "\n")
