"""What is going on, gathered in one place for the command `status`; each part says for itself that it cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from kombu.exceptions import KombuError
from redis import RedisError

from scheduler_project.broker import in_hand, queue_lengths
from scheduler_project.kafka_reader import KafkaReader, KafkaSilent
from schedules import beats
from schedules.conf import conf
from schedules.models import Slot
from schedules.reader import Reader
from schedules.redis import client
from schedules.validation import refusal
from workers.models import FanOut, OutboxEvent
from workers.relay import backlog

_LAST_SLOTS = ("schedule", "scheduled for", "state", "reason", "late s", "published", "skipped")
_UNREACHABLE = (Error, RedisError, KombuError, OSError, KafkaSilent, ImproperlyConfigured)


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the status: a title, the columns' names, and rows; `problem` says why there are none."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = ()
    problem: str = ""

    @property
    def well(self) -> bool:
        """Whether it could be had."""
        return not self.problem

    def as_json(self) -> dict[str, Any]:
        """Rows as objects."""
        rows = [dict(zip(self.columns, map(_json_value, row), strict=True)) for row in self.rows]
        return {"rows": rows, **({"problem": self.problem} if self.problem else {})}


def gather(now: datetime) -> list[Section]:
    """Every section; what cannot be reached is told, not raised."""
    return [
        _section("beats", ("beat", "seen s ago", "schedules", "rejected"), lambda: _beats(now)),
        _section("next slots", ("schedule", "scheduled for", "in s"), lambda: _next_slots(now)),
        _section("last slots", _LAST_SLOTS, _last_slots),
        _section("queues", ("queue", "waiting"), _queues),
        _section("outbox", ("pending", "oldest s", "published"), lambda: _outbox(now)),
        _section("kafka", ("topic", "messages", "newest event", "in outbox"), _kafka),
    ]


def _section(title: str, columns: tuple[str, ...], rows: Callable[[], Iterable[tuple[Any, ...]]]) -> Section:
    try:
        return Section(title, columns, tuple(rows()))
    except _UNREACHABLE as error:
        return Section(title, columns, problem=f"{type(error).__name__}: {error}".strip())


def _beats(now: datetime) -> Iterable[tuple[Any, ...]]:
    for said in beats.alive(client(), conf()):
        age = now - datetime.fromisoformat(said.at)
        yield said.beat_id, round(age.total_seconds(), 1), said.schedules, said.rejected


def _next_slots(now: datetime) -> Iterable[tuple[Any, ...]]:
    definitions, rejected = Reader(refusal).read()
    planned = [(definition.rule.next_after(now), name) for name, definition in definitions.items()]
    for fire_time, name in sorted((at, name) for at, name in planned if at is not None)[:20]:
        yield name, fire_time, round((fire_time - now).total_seconds(), 1)
    for name, why in rejected.items():
        yield name, f"cannot run: {why.reason}", ""


def _last_slots() -> Iterable[tuple[Any, ...]]:
    slots = list(Slot.objects.order_by("-scheduled_for")[:15])
    fan_outs = {record.slot_id: record for record in FanOut.objects.filter(slot_id__in=[s.slot_id for s in slots])}
    for slot in slots:
        late = (slot.dispatched_at - slot.scheduled_for).total_seconds() if slot.dispatched_at else ""
        record = fan_outs.get(slot.slot_id)
        accounts = (record.published, record.skipped) if record else ("", "")
        yield slot.schedule, slot.scheduled_for, slot.state, slot.reason, late, *accounts


def _queues() -> Iterable[tuple[Any, ...]]:
    yield from queue_lengths(current_app).items()
    yield "(in workers' hands)", in_hand(current_app)


def _outbox(now: datetime) -> Iterable[tuple[Any, ...]]:
    pending, oldest = backlog(now)
    yield pending, round(oldest, 1), OutboxEvent.objects.filter(published_at__isnull=False).count()


def _kafka() -> Iterable[tuple[Any, ...]]:
    """Counts come from Kafka itself, and its newest event of each topic is looked up in the outbox."""
    if not settings.KAFKA_BOOTSTRAP_SERVERS:
        raise ImproperlyConfigured("no Kafka server is named: start one with `make up`, or set KAFKA_BOOTSTRAP_SERVERS")
    with KafkaReader(settings.KAFKA_BOOTSTRAP_SERVERS) as reader:
        counts, newest = reader.counts(), reader.newest()
    known = {
        str(found)
        for found in OutboxEvent.objects.filter(event_id__in=newest.values()).values_list("event_id", flat=True)
    }
    for topic, count in sorted(counts.items()):
        event_id = newest.get(topic, "")
        yield topic, count, event_id, "yes" if event_id in known else "no" if event_id else ""


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
