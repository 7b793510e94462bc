"""Redis streams: a stream a topic, trimmed by length; consumers read with XREAD or consumer groups."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from redis import Redis, RedisError
from redis.exceptions import ResponseError

from workers.sinks.base import WAITS, OutgoingEvent, SinkDown


class RedisStreamSink:
    """Appends to `<prefix>:stream:<topic>`; about `max_length` newest events are kept."""

    def __init__(self, redis: Redis, prefix: str = "slotbeat", max_length: int = 100_000) -> None:
        self._redis = redis
        self._prefix = prefix
        self._max_length = max_length

    def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
        """See Sink. One pipeline; the client's own time limit bounds it."""
        del seconds
        pipeline = self._redis.pipeline(transaction=True)
        for event in events:
            pipeline.xadd(self.stream(event.topic), _fields(event), maxlen=self._max_length, approximate=True)
        try:
            answers = pipeline.execute(raise_on_error=False)
        except RedisError as error:
            raise SinkDown(f"Redis did not take a batch of {len(events)} events: {error}") from error
        return _refusals(events, answers)

    def stream(self, topic: str) -> str:
        """The key of a topic's stream."""
        return f"{self._prefix}:stream:{topic}"

    def close(self) -> None:
        """See Sink."""
        self._redis.close()


def _fields(event: OutgoingEvent) -> dict[Any, Any]:
    return {
        "event_id": str(event.event_id),
        "key": event.key,
        "payload": json.dumps(event.payload, ensure_ascii=False, separators=(",", ":")),
        "headers": json.dumps(dict(event.headers), ensure_ascii=False),
    }


def _refusals(events: Sequence[OutgoingEvent], answers: Sequence[object]) -> dict[int, str]:
    """A stream that refuses one event (its key holds another type) refuses every later one of its topic as well."""
    refused: dict[int, str] = {}
    topics: set[str] = set()
    for event, answer in zip(events, answers, strict=True):
        if isinstance(answer, ResponseError):
            refused[event.position] = WAITS if event.topic in topics else str(answer)
            topics.add(event.topic)
        elif isinstance(answer, Exception):
            raise SinkDown(f"Redis did not take event {event.event_id}: {answer}")
    return refused
