"""Kafka: an idempotent producer; topic and key of an event are those of its message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from workers.sinks.base import WAITS, OutgoingEvent, SinkDown

_ANSWER_SECONDS = 10.0


class KafkaSink:
    """Batches are confirmed by all in-sync replicas before `send` returns. Missing topics are created."""

    def __init__(self, bootstrap_servers: str, send_seconds: float, partitions: int = 3) -> None:
        settings: dict[str, Any] = {"bootstrap.servers": bootstrap_servers, "log_level": 3}
        # A message gives up before the batch does: nothing is in flight once `send` has returned.
        timeout_ms = max(1000, round(send_seconds * 800))
        self._settings = {**settings, "enable.idempotence": True, "linger.ms": 2, "message.timeout.ms": timeout_ms}
        self._producer = Producer(self._settings)
        self._admin = AdminClient(settings)
        self._partitions = partitions
        self._topics: set[str] = set()

    def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
        """See Sink."""
        try:
            return self._send(events, seconds)
        except (SinkDown, KafkaException, BufferError) as error:
            # The broker may come back without its topics and with no memory of this producer, which would be fatal.
            self._producer.purge()
            self._producer = Producer(self._settings)
            self._topics.clear()
            raise SinkDown(f"Kafka did not take a batch of {len(events)} events: {error}") from error

    def _send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
        self._ensure_topics({event.topic for event in events}, seconds)
        refused: dict[int, str] = {}
        unreached: list[str] = []
        blocked: set[tuple[str, str]] = set()
        for event in events:
            if (event.topic, event.key) in blocked:
                refused[event.position] = WAITS
                continue
            try:
                self._produce(event, unreached)
            except KafkaException as error:
                if error.args[0].fatal():
                    raise
                refused[event.position] = str(error)
                blocked.add((event.topic, event.key))
        if self._producer.flush(seconds):
            raise SinkDown(f"it did not confirm all within {seconds} s")
        if unreached:
            raise SinkDown(f"{len(unreached)} were not delivered: {unreached[0]}")
        return refused

    def close(self) -> None:
        """See Sink."""
        self._producer.flush(_ANSWER_SECONDS)

    def _produce(self, event: OutgoingEvent, unreached: list[str]) -> None:
        def confirm(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                unreached.append(error.str())

        headers = {**event.headers, "event_id": str(event.event_id)}
        self._producer.produce(
            event.topic,
            key=event.key.encode(),
            value=json.dumps(event.payload, ensure_ascii=False, separators=(",", ":")).encode(),
            headers=[(name, value.encode()) for name, value in headers.items()],
            on_delivery=confirm,
        )

    def _ensure_topics(self, topics: set[str], seconds: float) -> None:
        missing = sorted(topics - self._topics)
        if not missing:
            return
        wanted = [NewTopic(topic, num_partitions=self._partitions) for topic in missing]
        for topic, future in self._admin.create_topics(wanted, request_timeout=seconds).items():
            try:
                future.result(seconds)
            except (KafkaException, TimeoutError) as error:
                if not _exists_already(error):
                    raise SinkDown(f"Kafka topic {topic!r} could not be created: {error}") from error
        self._topics |= topics


def _exists_already(error: Exception) -> bool:
    return bool(error.args) and getattr(error.args[0], "code", int)() == KafkaError.TOPIC_ALREADY_EXISTS
