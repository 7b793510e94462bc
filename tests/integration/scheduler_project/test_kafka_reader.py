"""Reading topics back: everything that was there when asked, and nothing is committed."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.conf import settings

from scheduler_project.kafka_reader import KafkaReader, KafkaSilent
from workers.sinks.base import OutgoingEvent
from workers.sinks.kafka import KafkaSink


def test_every_message_is_read_with_its_key_and_event_id() -> None:
    topic = f"reader-{uuid4().hex}"
    ids = [UUID(int=number) for number in range(1, 51)]
    sink = KafkaSink(settings.KAFKA_BOOTSTRAP_SERVERS, send_seconds=10)
    events = [OutgoingEvent(n, event_id, topic, f"key-{n % 5}", {"n": n}, {}) for n, event_id in enumerate(ids)]
    assert sink.send(events, 10) == {}
    sink.close()

    with KafkaReader(settings.KAFKA_BOOTSTRAP_SERVERS) as reader:
        assert 0 < reader.counts()[topic] <= 50
        read = [message for message in reader.messages() if message.topic == topic]
        newest = reader.newest()[topic]

    assert {message.event_id for message in read} == {str(event_id) for event_id in ids}
    assert {message.key for message in read} == {f"key-{n}" for n in range(5)}
    assert newest in {str(event_id) for event_id in ids}


def test_a_broker_that_is_away_is_told_in_time() -> None:
    with KafkaReader("127.0.0.1:1") as reader, pytest.raises(KafkaSilent, match="did not answer within 5 s"):
        reader.counts()
