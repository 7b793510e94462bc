"""Reads topics back from Kafka, as a consumer without a group would: the proof that events have arrived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType

from confluent_kafka import Consumer, KafkaException, TopicPartition

_ANSWER_SECONDS = 5.0
_READ_SECONDS = 20.0
_AT_ONCE = 1000


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
        """How many messages each topic holds. Raises KafkaSilent."""
        return {topic: sum(high - low for low, high in marks.values()) for topic, marks in self._watermarks().items()}

    def newest(self) -> dict[str, str]:
        """The event id of the newest message in one partition of each topic that holds any. Raises KafkaSilent."""
        ends = [
            TopicPartition(topic, partition, high - 1)
            for topic, marks in self._watermarks().items()
            for partition, (low, high) in marks.items()
            if high > low
        ]
        found: dict[str, str] = {}
        self._consumer.assign(ends)
        while len(found) < len({end.topic for end in ends}):
            batch = self._consumer.consume(_AT_ONCE, timeout=_ANSWER_SECONDS)
            if not batch:
                raise KafkaSilent(f"Kafka sent nothing for {_ANSWER_SECONDS:g} s")
            found |= {read.topic: read.event_id for read in map(_message, batch)}
        return found

    def messages(self) -> Iterator[KafkaMessage]:
        """Every message there is, per partition in order. Raises KafkaSilent when they do not come."""
        watermarks = self._watermarks()
        left = {
            (topic, partition): high
            for topic, marks in watermarks.items()
            for partition, (low, high) in marks.items()
            if high > low
        }
        self._consumer.assign([TopicPartition(topic, partition, 0) for topic, partition in left])
        while left:
            batch = self._consumer.consume(_AT_ONCE, timeout=_READ_SECONDS)
            if not batch:
                raise KafkaSilent(f"Kafka sent nothing for {_READ_SECONDS:g} s while {len(left)} partitions are unread")
            for message in batch:
                if message.error():
                    raise KafkaSilent(f"Kafka answered with an error: {message.error()}")
                read = _message(message)
                yield read
                if read.offset + 1 >= left.get((read.topic, read.partition), 0):
                    left.pop((read.topic, read.partition), None)

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
                if not name.startswith("__")
            }
        except KafkaException as error:
            raise KafkaSilent(f"Kafka did not answer within {_ANSWER_SECONDS:g} s: {error}") from error


def _message(message: object) -> KafkaMessage:
    headers = dict(message.headers() or [])  # type: ignore[attr-defined] # confluent_kafka types it only as Message
    return KafkaMessage(
        topic=message.topic(),  # type: ignore[attr-defined]
        partition=message.partition(),  # type: ignore[attr-defined]
        offset=message.offset(),  # type: ignore[attr-defined]
        key=(message.key() or b"").decode(),  # type: ignore[attr-defined]
        event_id=(headers.get("event_id") or b"").decode(),
        value=message.value() or b"",  # type: ignore[attr-defined]
    )
