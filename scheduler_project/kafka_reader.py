"""Reads topics back from Kafka, as a consumer without a group would: the proof that events have arrived."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

_ANSWER_SECONDS = 5.0
_READ_SECONDS = 20.0
_AT_ONCE = 1000
# `consume` waits this long for a full batch, so it is also what reading a short topic takes.
_LOOK_SECONDS = 0.2


class KafkaSilent(RuntimeError):
    """Kafka did not answer in time."""


@dataclass(frozen=True, slots=True)
class KafkaMessage:
    """One message of a topic; `event_id` is the header that consumers deduplicate by."""

    topic: str
    partition: int
    offset: int
    key: str
    event_id: str
    value: bytes


class KafkaReader:
    """Reads what is there at the time of asking; it commits nothing and joins no group."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": "slotbeat-reader",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "enable.partition.eof": True,
                "log_level": 3,
            }
        )

    def __enter__(self) -> KafkaReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._consumer.close()

    def counts(self) -> dict[str, int]:
        """About how many messages each topic holds, without reading them. Raises KafkaSilent.

        A Kafka counts to the last message; the embedded broker only to the beginning of its last batch.
        """
        return {topic: sum(high - low for low, high in marks.values()) for topic, marks in self._watermarks().items()}

    def newest(self) -> dict[str, str]:
        """The event id of the last message in one partition of each topic that holds any. Raises KafkaSilent."""
        ends = [
            TopicPartition(topic, partition, high - 1)
            for topic, marks in self._watermarks().items()
            for partition, (low, high) in marks.items()
            if high > low
        ]
        return {message.topic: message.event_id for message in self._read_to_the_end(ends)}

    def messages(self) -> Iterator[KafkaMessage]:
        """Every message there is, per partition in order. Raises KafkaSilent when they do not come."""
        starts = [
            TopicPartition(topic, partition, low)
            for topic, marks in self._watermarks().items()
            for partition, (low, _) in marks.items()
        ]
        return self._read_to_the_end(starts)

    def _read_to_the_end(self, starts: list[TopicPartition]) -> Iterator[KafkaMessage]:
        """What the broker calls the end of a partition is trusted, its watermarks are not."""
        unread = {(start.topic, start.partition) for start in starts}
        self._consumer.assign(starts)
        silent_since = time.monotonic()
        while unread:
            batch = self._consumer.consume(_AT_ONCE, timeout=_LOOK_SECONDS)
            if batch:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since > _READ_SECONDS:
                raise KafkaSilent(f"Kafka sent nothing for {_READ_SECONDS:g} s, {len(unread)} partitions are unread")
            for message in batch:
                error = message.error()
                if error is None:
                    yield _message(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    unread.discard((message.topic() or "", message.partition() or 0))
                else:
                    raise KafkaSilent(f"Kafka answered with an error: {error}")

    def _watermarks(self) -> dict[str, dict[int, tuple[int, int]]]:
        try:
            topics = self._consumer.list_topics(timeout=_ANSWER_SECONDS).topics
            return {
                name: {
                    partition: self._consumer.get_watermark_offsets(
                        TopicPartition(name, partition), timeout=_ANSWER_SECONDS
                    )
                    for partition in topic.partitions
                }
                for name, topic in topics.items()
                if not name.startswith("_")
            }
        except KafkaException as error:
            raise KafkaSilent(f"Kafka did not answer within {_ANSWER_SECONDS:g} s: {error}") from error


def _message(message: Message) -> KafkaMessage:
    headers: dict[str, Any] = dict(message.headers() or [])
    return KafkaMessage(
        topic=message.topic() or "",
        partition=message.partition() or 0,
        offset=message.offset() or 0,
        key=_text(message.key()),
        event_id=_text(headers.get("event_id")),
        value=_bytes(message.value()),
    )


def _bytes(found: str | bytes | None) -> bytes:
    return found.encode() if isinstance(found, str) else found or b""


def _text(found: str | bytes | None) -> str:
    return _bytes(found).decode()
