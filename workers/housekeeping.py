"""Forgets what is past its retention, in short transactions: ended runs, slots, fan-outs and published events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from schedules import door
from workers.conf import Conf
from workers.drain import drain
from workers.models import EventState, FanOut, Kind, Lease, LeaseState, OutboxEvent

BATCH_ROWS = 5_000
_ENDED = (LeaseState.SUCCESS, LeaseState.FAIL, LeaseState.SKIPPED)


@dataclass(frozen=True, slots=True)
class Purged:
    """How many rows of each kind went."""

    runs: int
    slots: int
    fan_outs: int
    events: int


def purge(now: datetime, conf: Conf, *, batch: int = BATCH_ROWS) -> Purged:
    """Deletes `batch` rows at a time. Raises Interrupted between two batches when the process stops.

    A run-once lease is kept for ever: it is what keeps the run from happening again.
    """
    runs_before = now - timedelta(days=conf.run_retention_days)
    events_before = now - timedelta(days=conf.outbox_retention_days)
    leases = Lease.objects.filter(kind=Kind.SCHEDULE, state__in=_ENDED, finished_at__lt=runs_before)
    over = Q(finished_at__lt=runs_before) | Q(finished_at=None, started_at__lt=runs_before)
    fan_outs = FanOut.objects.filter(over, scheduled_for__lt=runs_before)
    events = OutboxEvent.objects.filter(state=EventState.PUBLISHED, published_at__lt=events_before)
    return Purged(
        runs=_until_done(lambda: _delete(leases, batch), batch),
        slots=_until_done(lambda: door.purge_slots(runs_before, batch), batch),
        fan_outs=_until_done(lambda: _delete(fan_outs, batch), batch),
        events=_until_done(lambda: _delete(events, batch), batch),
    )


def _until_done(delete_some: Callable[[], int], batch: int) -> int:
    total = 0
    while True:
        drain.checkpoint()
        deleted = delete_some()
        total += deleted
        if deleted < batch:
            return total


def _delete(rows: QuerySet[Any], batch: int) -> int:
    oldest = list(rows.order_by("id").values_list("id", flat=True)[:batch])
    deleted, _ = rows.filter(id__in=oldest).delete() if oldest else (0, {})
    return deleted
