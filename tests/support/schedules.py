"""Schedules, stamps and orders as tests write them; each argument has a default that fires every ten seconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django_celery_beat.models import IntervalSchedule, PeriodicTask

from schedules.conf import Conf
from schedules.definitions import Definition
from schedules.guard import Guard
from schedules.models import ScheduleOptions
from schedules.publisher import Order
from schedules.redis import client
from schedules.stamp import Overlap, Stamp, slot_id
from schedules.timing.interval import EPOCH, Interval
from schedules.timing.misfire import MisfirePolicy
from schedules.timing.rule import Rule
from tests.support.rules import utc

NINE = utc("2026-03-10T09:00:00")
TASK = "fan_out"
SYNC_FEED = '{"job": "sync_feed", "params": {"feed": "orders"}}'


def seconds(count: float) -> timedelta:
    """So many seconds."""
    return timedelta(seconds=count)


def definition(
    name: str = "a",
    *,
    rule: Rule | None = None,
    since: datetime = EPOCH,
    misfire: MisfirePolicy | None = None,
    overlap: Overlap = Overlap.ALLOW_ALL,
    **rest: Any,
) -> Definition:
    """A definition that fires every ten seconds unless another rule is given."""
    return Definition(
        name=name,
        rule=rule or Interval(seconds(10)),
        since=since,
        misfire=misfire or MisfirePolicy(),
        overlap=overlap,
        lease_seconds=rest.pop("lease_seconds", 900),
        task=rest.pop("task", TASK),
        **rest,
    )


def by_name(*definitions: Definition) -> dict[str, Definition]:
    """Definitions as the reader gives them."""
    return {each.name: each for each in definitions}


def stamp(
    schedule: str = "a",
    at: datetime = NINE,
    *,
    overlap: Overlap = Overlap.ALLOW_ALL,
    lease_seconds: int = 900,
    account: str = "",
) -> Stamp:
    """The stamp of a schedule's slot."""
    identity = slot_id(schedule, at, account)
    return Stamp(identity, schedule, at, account=account, overlap=overlap, lease_seconds=lease_seconds)


def order(schedule: str = "a", at: datetime = NINE, *, overlap: Overlap = Overlap.ALLOW_ALL, **rest: Any) -> Order:
    """The order of a schedule's slot."""
    return Order(stamp(schedule, at, overlap=overlap), rest.pop("task", TASK), **rest)


def guard(owner: str = "beat-a", **settings: Any) -> Guard:
    """A guard on the test's Redis database."""
    return Guard(client(), owner, Conf(**settings))


def every(count: int, period: str = IntervalSchedule.SECONDS) -> IntervalSchedule:
    """The interval's row."""
    row, _ = IntervalSchedule.objects.get_or_create(every=count, period=period)
    return row


def schedule_row(name: str = "a", *, options: Mapping[str, Any] | None = None, **fields: Any) -> PeriodicTask:
    """A saved schedule, every ten seconds unless another kind is given; `options` are ours."""
    if not fields.keys() & {"crontab", "clocked", "solar", "interval"}:
        fields["interval"] = every(10)
    row: PeriodicTask = PeriodicTask.objects.create(**{"name": name, "task": TASK, "kwargs": SYNC_FEED, **fields})
    if options is not None:
        ScheduleOptions.objects.create(periodic_task=row, **options)
    return row
