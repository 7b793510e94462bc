"""`manage.py relay` as a process: stopped or killed in mid-stream it loses nothing and keeps each key's order."""

from __future__ import annotations

import signal
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction

from tests.support.processes import Processes
from tests.support.sinks import Arrived, read_kafka
from tests.support.waiting import wait_for
from workers import outbox
from workers.models import EventState, OutboxEvent
from workers.outbox import Event

KEYS, EVENTS, BATCH = 10, 1500, 5
RELAY = ("manage.py", "relay", "--batch-size", str(BATCH))


@pytest.fixture
def topic() -> str:
    return f"t.{uuid.uuid4().hex}"


def record(topic: str) -> None:
    with transaction.atomic():
        outbox.record_many(Event(topic, f"key{number % KEYS}", number) for number in range(EVENTS))


def published() -> int:
    return OutboxEvent.objects.filter(state=EventState.PUBLISHED).count()


def read(topic: str) -> list[Arrived]:
    return read_kafka(settings.KAFKA_BOOTSTRAP_SERVERS, topic, EVENTS)


def in_mid_stream(processes: Processes, *options: str) -> Any:
    process = processes.start(*RELAY, *options)
    goal = published() + 50
    wait_for(lambda: published() >= goal, what="fifty more published events", timeout=30)
    return process


def finish(processes: Processes) -> None:
    assert processes.start("manage.py", "relay", "--until-empty").wait(60) == 0
    assert published() == EVENTS


def assert_each_key_in_order(arrived: list[Arrived]) -> None:
    for key in range(KEYS):
        first_arrivals = dict.fromkeys(one.payload for one in arrived if one.key == f"key{key}")
        assert list(first_arrivals) == list(range(key, EVENTS, KEYS))


def test_a_stopped_relay_ends_its_batch_and_sends_nothing_twice(processes: Processes, topic: str) -> None:
    record(topic)
    for options in ((), ("--until-empty",)):
        ending = processes.stop(in_mid_stream(processes, *options), signal.SIGTERM)
        assert ending.code == 0
        assert ending.seconds < 5
        assert published() < EVENTS, f"relay {options} was not stopped in mid-stream"
    finish(processes)
    arrived = read(topic)
    assert len(arrived) == len({one.headers["event_id"] for one in arrived}) == EVENTS
    assert_each_key_in_order(arrived)


def test_killed_relays_lose_nothing_and_repeat_only_what_was_not_marked(processes: Processes, topic: str) -> None:
    record(topic)
    pair = [processes.start(*RELAY), in_mid_stream(processes)]
    for process in pair:
        assert processes.stop(process, signal.SIGKILL).code == -signal.SIGKILL
    assert published() < EVENTS, "they were not killed in mid-stream"
    finish(processes)
    arrived = read(topic)
    assert {one.headers["event_id"] for one in arrived} == {
        str(event_id) for event_id in OutboxEvent.objects.values_list("event_id", flat=True)
    }
    assert len(arrived) - EVENTS <= len(pair) * BATCH, "at most the batch in hand of each goes again"
    assert_each_key_in_order(arrived)
