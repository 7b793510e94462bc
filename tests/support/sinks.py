"""Sinks for tests: one in memory that can refuse, fail or wait, and readers of what Kafka and Redis really hold."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from confluent_kafka import Consumer, TopicPartition
from redis import Redis

from workers.sinks.base import WAITS, OutgoingEvent, Sink
from workers.sinks.kafka import KafkaSink
from workers.sinks.redis_stream import RedisStreamSink

_READ_SECONDS = 10.0
_SURPLUS_SECONDS = 0.3


@dataclass
class MemorySink:
    """Keeps what it is sent; `before` is called with each batch, `refuses` names payloads it will not take."""

    before: Callable[[Sequence[OutgoingEvent]], object] = lambda _events: None
    refuses: Sequence[Any] = ()
    batches: list[list[OutgoingEvent]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def events(self) -> list[OutgoingEvent]:
        """All events taken, in order of arrival."""
        return [event for batch in self.batches for event in batch]

    def payloads(self, key: str) -> list[Any]:
        """The payloads taken of one key, in order of arrival."""
        return [event.payload for event in self.events if event.key == key]

    def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
        """See Sink."""
        del seconds
        self.before(events)
        refused: dict[int, str] = {}
        blocked: set[tuple[str, str]] = set()
        for event in events:
            if (event.topic, event.key) in blocked:
                refused[event.position] = WAITS
            elif event.payload in self.refuses:
                refused[event.position] = "not wanted"
                blocked.add((event.topic, event.key))
        with self._lock:
            self.batches.append([event for event in events if event.position not in refused])
        return refused

    def close(self) -> None:
        """See Sink."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event as a consumer sees it; `raw` is its payload's bytes."""

    key: str
    raw: bytes
    headers: Mapping[str, str]

    @property
    def payload(self) -> Any:
        """The payload that was recorded."""
        return json.loads(self.raw)


class Place(Protocol):
    """A sink, and how to look at what it took."""

    @property
    def sink(self) -> Sink:
        """The sink."""

    def read(self, topic: str, count: int) -> list[Arrived]:
        """The `count` events, or more, that a consumer of the topic sees, per key in order."""

    def poison(self, event: OutgoingEvent) -> OutgoingEvent:
        """Makes an event that the server will refuse out of a good one."""


class KafkaPlace:
    """The embedded broker."""

    def __init__(self, bootstrap_servers: str) -> None:
        self.sink: Sink = KafkaSink(bootstrap_servers, send_seconds=10)
        self._bootstrap_servers = bootstrap_servers

    def read(self, topic: str, count: int) -> list[Arrived]:
        """See Place."""
        return read_kafka(self._bootstrap_servers, topic, count)

    def poison(self, event: OutgoingEvent) -> OutgoingEvent:
        """See Place."""
        too_large = {"text": "x" * 1_200_000}
        return OutgoingEvent(event.position, event.event_id, event.topic, event.key, too_large, event.headers)


class RedisPlace:
    """The embedded Valkey."""

    def __init__(self, redis: Redis) -> None:
        self._stream_sink = RedisStreamSink(redis)
        self.sink: Sink = self._stream_sink
        self._redis = redis

    def read(self, topic: str, count: int) -> list[Arrived]:
        """See Place."""
        entries: Any = self._redis.xrange(self._stream_sink.stream(topic))
        assert len(entries) >= count, f"{len(entries)} of {count} events of {topic} came"
        return [
            Arrived(
                fields["key"],
                fields["payload"].encode(),
                {**json.loads(fields["headers"]), "event_id": fields["event_id"]},
            )
            for _id, fields in entries
        ]

    def poison(self, event: OutgoingEvent) -> OutgoingEvent:
        """See Place. The whole topic's stream is spoilt."""
        self._redis.set(self._stream_sink.stream(event.topic), "not a stream")
        return event


def read_kafka(bootstrap_servers: str, topic: str, count: int) -> list[Arrived]:
    """The messages of a topic, per partition in order: `count` of them, and any that come right behind.

    Joins no group, which takes long on this broker, and does not ask for the end of a partition: the embedded broker
    names the beginning of its last batch.
    """
    consumer = Consumer({"bootstrap.servers": bootstrap_servers, "group.id": uuid.uuid4().hex, "log_level": 3})
    try:
        partitions = consumer.list_topics(topic, timeout=_READ_SECONDS).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
        messages: list[Any] = []
        while batch := consumer.consume(
            # It waits for all that it is asked for.
            max(1, count - len(messages)),
            timeout=_READ_SECONDS if len(messages) < count else _SURPLUS_SECONDS,
        ):
            assert not any(message.error() for message in batch), f"{topic}: {batch[0].error()}"
            messages += batch
    finally:
        consumer.close()
    assert len(messages) >= count, f"{len(messages)} of {count} messages of {topic} came"
    return [_arrived(message) for message in messages]


def _arrived(message: Any) -> Arrived:
    headers = {name: value.decode() for name, value in message.headers() or []}
    return Arrived(message.key().decode(), message.value(), headers)
