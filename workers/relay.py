"""READ THIRD. One batch: lock what is pending, send it, mark it, commit. Any number of relays may run.

A relay killed anywhere leaves its rows pending: they go again, under the same event ids. No event of a key goes while
an earlier one of that key is pending elsewhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import Error, connection, transaction
from django.db.models import Exists, F, Min, OuterRef, Q

from workers.drain import Drain
from workers.models import EventState, OutboxEvent
from workers.sinks.base import WAITS, OutgoingEvent, Sink, SinkDown

logger = logging.getLogger(__name__)

_LONGEST_BACKOFF_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Batch:
    """How many events a batch published, and how many the sink refused."""

    published: int
    refused: int


def relay_batch(sink: Sink, size: int, send_seconds: float, now: datetime) -> Batch:
    """Moves at most `size` events; locks are held no longer than `send_seconds` and the marking take.

    Raises SinkDown, with every row left pending, when the sink is away.
    """
    with transaction.atomic():
        events = _without_followers(_lock_pending(size))
        if not events:
            return Batch(0, 0)
        refused = sink.send([_outgoing(event) for event in events], send_seconds)
        _mark(events, refused, now)
    return Batch(len(events) - len(refused), len(refused))


def relay_until(
    drain: Drain, sink: Sink, *, size: int, send_seconds: float, poll_seconds: float, clock: Callable[[], datetime]
) -> int:
    """Moves batches until the process drains; how many events were published is returned.

    A sink or database that is away costs a growing pause, no event an attempt, and never the loop.
    """
    published, failures = 0, 0
    while not drain.should_stop():
        try:
            batch = relay_batch(sink, size, send_seconds, clock())
        except (SinkDown, Error) as error:
            failures += 1
            logger.warning("outbox batch not published, trying again: %s", error)
            connection.close()
            drain.wait(min(2.0 ** min(failures - 1, 5), _LONGEST_BACKOFF_SECONDS))
            continue
        failures = 0
        published += batch.published
        if batch.refused or not batch.published:
            drain.wait(poll_seconds)
    return published


def backlog(now: datetime) -> tuple[int, float]:
    """How many events are pending, and the age of the oldest in seconds."""
    pending = OutboxEvent.objects.filter(state=EventState.PENDING)
    oldest = pending.aggregate(oldest=Min("created_at"))["oldest"]
    return pending.count(), 0.0 if oldest is None else (now - oldest).total_seconds()


def _lock_pending(size: int) -> list[OutboxEvent]:
    """The oldest events that may go: those behind a refused one of their key would fill the batch for ever."""
    refused = OutboxEvent.objects.filter(
        state=EventState.PENDING, topic=OuterRef("topic"), key=OuterRef("key"), id__lt=OuterRef("id")
    ).exclude(error__in=["", WAITS])
    pending = OutboxEvent.objects.select_for_update(skip_locked=True).filter(state=EventState.PENDING)
    return list(pending.exclude(Exists(refused)).order_by("id")[:size])


def _without_followers(events: Sequence[OutboxEvent]) -> list[OutboxEvent]:
    """Leaves out events that have an earlier pending one of their key which another relay holds.

    Two relays that lock at one moment can hold every other event of a key, so the first one alone tells nothing.
    """
    if not events:
        return []
    keys = Q()
    for topic, key in {(event.topic, event.key) for event in events}:
        keys |= Q(topic=topic, key=key)
    earlier = OutboxEvent.objects.filter(keys, state=EventState.PENDING, id__lt=events[-1].id)
    elsewhere = earlier.exclude(id__in=[event.id for event in events]).values("topic", "key").annotate(first=Min("id"))
    first = {(row["topic"], row["key"]): row["first"] for row in elsewhere}
    return [event for event in events if event.id < first.get((event.topic, event.key), event.id + 1)]


def _mark(events: Sequence[OutboxEvent], refused: dict[int, str], now: datetime) -> None:
    done = [event.id for event in events if event.id not in refused]
    OutboxEvent.objects.filter(id__in=done).update(
        state=EventState.PUBLISHED, published_at=now, attempts=F("attempts") + 1, error=""
    )
    for position, reason in refused.items():
        logger.error("event %d was refused by the sink and stays pending: %s", position, reason)
        OutboxEvent.objects.filter(id=position).update(
            attempts=F("attempts") + 1, error=reason[:2000].replace("\x00", "")
        )


def _outgoing(event: OutboxEvent) -> OutgoingEvent:
    return OutgoingEvent(event.id, event.event_id, event.topic, event.key, event.payload, event.headers)
