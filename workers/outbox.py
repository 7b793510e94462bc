"""Record an event in the caller's transaction: it exists exactly when the business change does."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from workers.conf import conf
from workers.json_values import BadValue, checked
from workers.models import OutboxEvent
from workers.run import current_run

_TOPIC_LONGEST, _KEY_LONGEST = 200, 300
_TOPIC = re.compile(r"[A-Za-z0-9._-]+")


class OutboxRefused(ValueError):
    """An event that could not be stored or sent as it is; the message names the field and the remedy."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: events of one topic and key reach their sink in the order they were recorded."""

    topic: str
    key: str
    payload: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    event_id: uuid.UUID | None = None


def record(
    topic: str,
    key: str,
    payload: Any,
    *,
    headers: Mapping[str, str] | None = None,
    event_id: uuid.UUID | None = None,
) -> None:
    """Records one event. Raises OutboxRefused outside a transaction, and for what JSON or PostgreSQL cannot hold."""
    record_many([Event(topic, key, payload, headers or {}, event_id)])


def record_many(events: Iterable[Event]) -> int:
    """Records events in one statement; the same event id twice is one event. Raises as `record` does."""
    if not transaction.get_connection().in_atomic_block:
        raise OutboxRefused("an event is recorded inside transaction.atomic(), or run.transaction() in a job")
    rows = [_row(event) for event in events]
    OutboxEvent.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def _row(event: Event) -> OutboxEvent:
    _check_name("topic", event.topic, _TOPIC_LONGEST)
    if not _TOPIC.fullmatch(event.topic) or event.topic in (".", ".."):
        raise OutboxRefused(f"topic {event.topic!r} of an event: Kafka takes letters, digits and . _ - only")
    _check_name("key", event.key, _KEY_LONGEST)
    _check_headers(event)
    return OutboxEvent(
        event_id=event.event_id or uuid.uuid4(),
        topic=event.topic,
        key=event.key,
        payload=_check_payload(event),
        headers={**_run_headers(), **event.headers},
    )


def _run_headers() -> dict[str, str]:
    run = current_run.get(None)
    return {} if run is None else {"idempotency_key": run.idempotency_key, "slot_id": run.stamp.slot_id}


def _check_name(label: str, value: str, longest: int) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise OutboxRefused(f"{label} {value!r:.40} of an event must be a text of 1 to {longest} characters")
    try:
        checked(value, label)
    except BadValue as error:
        raise OutboxRefused(f"event with a bad {label}: {error}") from error


def _check_headers(event: Event) -> None:
    _checked(event, dict(event.headers), "headers")
    for name, value in event.headers.items():
        if not isinstance(value, str):
            raise OutboxRefused(f"header {name!r} of an event is a {type(value).__name__}: headers are texts")


def _checked(event: Event, value: Any, place: str) -> Any:
    try:
        return checked(value, place)
    except BadValue as error:
        raise OutboxRefused(f"event of topic {event.topic!r}, key {event.key!r}: {error}") from error


def _check_payload(event: Event) -> Any:
    value = _checked(event, event.payload, "payload")
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > conf().outbox_max_bytes:
        raise OutboxRefused(
            f"event of topic {event.topic!r}, key {event.key!r}: payload has {size} bytes, "
            f"more than SLOTBEAT_OUTBOX_MAX_BYTES ({conf().outbox_max_bytes}): send a reference instead"
        )
    return value
