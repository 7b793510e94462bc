"""One suite over every sink: order per key, bytes, headers, what is refused, and a server that is away."""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.exceptions import ImproperlyConfigured

from scheduler_project.embedded.kafka import EmbeddedKafka
from schedules.redis import client
from tests.support.sinks import KafkaPlace, Place, RedisPlace, read_kafka
from workers.sinks.base import WAITS, OutgoingEvent, Sink, SinkDown
from workers.sinks.choice import chosen_sink
from workers.sinks.kafka import KafkaSink
from workers.sinks.redis_stream import RedisStreamSink

_PLACES: dict[str, Callable[[], Place]] = {  # a new sink takes its place here
    "kafka": lambda: KafkaPlace(project.KAFKA_BOOTSTRAP_SERVERS),
    "redis": lambda: RedisPlace(client()),
}
AWAY_SECONDS = 1.0


@pytest.fixture(params=sorted(_PLACES))
def make_place(request: pytest.FixtureRequest) -> Callable[[], Place]:
    """Each sink in turn."""
    return _PLACES[request.param]


@pytest.fixture
def place(make_place: Callable[[], Place]) -> Generator[Place]:
    """One of it."""
    made = make_place()
    yield made
    made.sink.close()


@pytest.fixture
def topic() -> str:
    """A topic of the test's own."""
    return f"t.{uuid.uuid4().hex}"


@pytest.fixture
def closed_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def silent_port() -> Generator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield int(server.getsockname()[1])


def event(position: int, topic: str, key: str = "acme", payload: Any = None, **headers: str) -> OutgoingEvent:
    return OutgoingEvent(position, uuid.uuid4(), topic, key, position if payload is None else payload, headers)


def test_every_key_keeps_its_order_over_batches(place: Place, topic: str) -> None:
    events = [event(number, topic, f"key{number % 7}") for number in range(300)]
    for start in range(0, 300, 50):
        assert place.sink.send(events[start : start + 50], 10) == {}
    arrived = place.read(topic, 300)
    assert len(arrived) == 300
    for key in range(7):
        assert [one.payload for one in arrived if one.key == f"key{key}"] == list(range(key, 300, 7))


def test_text_arrives_byte_for_byte(place: Place, topic: str) -> None:
    payload = {"text": "👩‍👩‍👧‍👦 e\u0301 é ÷ 漢 \u2028 \u0001", "n": [1, 2.5, None, True]}
    place.sink.send([event(1, topic, "ключ 🔑:%", payload, source="naïve 🔔")], 10)
    (arrived,) = place.read(topic, 1)
    assert arrived.key == "ключ 🔑:%"
    assert "👩‍👩‍👧‍👦 e\u0301 é ÷ 漢 \u2028".encode() in arrived.raw
    assert arrived.payload == payload
    assert arrived.headers["source"] == "naïve 🔔"


def test_headers_carry_the_event_id_beside_their_own(place: Place, topic: str) -> None:
    sent = event(1, topic, idempotency_key="v2:abc", slot_id="slots:acme:1")
    place.sink.send([sent], 10)
    assert place.read(topic, 1)[0].headers == {
        "event_id": str(sent.event_id),
        "idempotency_key": "v2:abc",
        "slot_id": "slots:acme:1",
    }


def test_an_empty_batch_is_nothing(place: Place) -> None:
    assert place.sink.send([], 10) == {}


def test_many_topics_fit_into_one_batch(place: Place, topic: str) -> None:
    names = [f"{topic}.{number}" for number in range(3)]
    assert place.sink.send([event(number, name) for number, name in enumerate(names)], 10) == {}
    assert [place.read(name, 1)[0].payload for name in names] == [0, 1, 2]


def test_a_refused_event_takes_the_later_ones_of_its_key_along(place: Place, topic: str) -> None:
    other = f"{topic}.other"
    bad = place.poison(event(1, topic))
    batch = [bad, event(2, other), event(3, topic), event(4, other)]
    refused = place.sink.send(batch, 10)
    assert set(refused) == {1, 3}
    assert refused[1] not in ("", WAITS)
    assert refused[3] == WAITS
    assert [arrived.payload for arrived in place.read(other, 2)] == [2, 4]


def test_an_event_before_the_refused_one_is_sent_and_other_keys_are_not_held_back(topic: str) -> None:
    place = KafkaPlace(project.KAFKA_BOOTSTRAP_SERVERS)
    refused = place.sink.send(
        [event(1, topic), place.poison(event(2, topic)), event(3, topic), event(4, topic, "b")], 10
    )
    assert set(refused) == {2, 3}
    assert sorted(arrived.payload for arrived in place.read(topic, 2)) == [1, 4]


def test_kafka_goes_on_after_a_refusal(topic: str) -> None:
    place = KafkaPlace(project.KAFKA_BOOTSTRAP_SERVERS)
    place.sink.send([place.poison(event(1, topic))], 10)
    assert place.sink.send([event(1, topic, payload="mended"), event(2, topic)], 10) == {}
    assert [arrived.payload for arrived in place.read(topic, 2)] == ["mended", 2]


def test_a_topic_that_another_sink_made_is_used(place: Place, make_place: Callable[[], Place], topic: str) -> None:
    place.sink.send([event(1, topic)], 10)
    second = make_place()
    assert second.sink.send([event(2, topic)], 10) == {}
    assert [arrived.payload for arrived in place.read(topic, 2)] == [1, 2]


@pytest.fixture(params=sorted(_PLACES))
def sink_to(request: pytest.FixtureRequest, settings: Any) -> Callable[[int], Sink]:
    """The sink that the settings choose, with its server at a port."""

    def make(port: int) -> Sink:
        settings.SLOTBEAT_OUTBOX_SINK = request.param
        settings.SLOTBEAT_OUTBOX_SEND_SECONDS = AWAY_SECONDS
        settings.SLOTBEAT_KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
        settings.SLOTBEAT_REDIS_URL = f"redis://127.0.0.1:{port}/0"
        return chosen_sink()

    return make


@pytest.mark.parametrize("port", ["closed_port", "silent_port"])
def test_a_server_that_is_away_is_said_within_the_time_given(
    sink_to: Callable[[int], Sink], port: str, topic: str, request: pytest.FixtureRequest
) -> None:
    sink = sink_to(request.getfixturevalue(port))
    began = time.monotonic()
    with pytest.raises(SinkDown, match=r"Kafka|Redis"):
        sink.send([event(1, topic)], AWAY_SECONDS)
    assert time.monotonic() - began < 2 * AWAY_SECONDS + 0.5


def test_kafka_is_served_again_after_it_came_back_without_its_topics(tmp_path: Path, topic: str) -> None:
    """A broker may lose a topic: somebody deleted it, or its memory ended with it."""
    broker = EmbeddedKafka(tmp_path, preferred_port=None)
    broker.start()
    address = broker.url
    sink = KafkaSink(address, send_seconds=2)
    assert sink.send([event(1, topic)], 2) == {}
    broker.stop()
    again = EmbeddedKafka(tmp_path, preferred_port=int(address.rpartition(":")[2]))
    again.start()
    try:
        assert again.url == address
        assert _sent_within_tries(sink, event(2, topic), tries=5)
        assert [arrived.payload for arrived in read_kafka(address, topic, 1)] == [2]
    finally:
        again.stop()


def _sent_within_tries(sink: Sink, one: OutgoingEvent, tries: int) -> bool:
    for _ in range(tries):
        try:
            return sink.send([one], 2) == {}
        except SinkDown:
            continue
    return False


@pytest.mark.parametrize(("name", "kind"), [("kafka", KafkaSink), ("redis", RedisStreamSink)])
def test_the_settings_choose_the_sink(settings: Any, name: str, kind: type[Sink]) -> None:
    settings.SLOTBEAT_OUTBOX_SINK = name
    assert isinstance(chosen_sink(), kind)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"SLOTBEAT_OUTBOX_SINK": "kafak"}, "'kafak': set it to kafka or redis"),
        ({"SLOTBEAT_OUTBOX_SINK": "kafka", "SLOTBEAT_KAFKA_BOOTSTRAP_SERVERS": ""}, "KAFKA_BOOTSTRAP_SERVERS"),
        ({"SLOTBEAT_OUTBOX_SINK": "redis", "SLOTBEAT_REDIS_URL": ""}, "REDIS_URL"),
    ],
)
def test_a_sink_that_is_not_there_is_refused_with_the_remedy(
    settings: Any, changes: dict[str, str], complaint: str
) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)
    with pytest.raises(ImproperlyConfigured, match=complaint):
        chosen_sink()


def test_a_stream_keeps_about_its_newest_events(topic: str) -> None:
    sink = RedisStreamSink(client(), max_length=100)
    for start in range(0, 1000, 100):
        sink.send([event(start + number, topic) for number in range(100)], 10)
    kept = [arrived.payload for arrived in RedisPlace(client()).read(topic, 100)]
    assert 100 <= len(kept) <= 300
    assert kept == list(range(1000 - len(kept), 1000))
