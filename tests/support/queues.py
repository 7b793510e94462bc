"""The broker's queues as a worker finds them: messages read straight from Redis."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from celery import Celery
from redis import Redis

from schedules.redis import client

QUEUES = ("schedules", "accounts")


@dataclass(frozen=True)
class Message:
    """One message of a queue, decoded."""

    task_id: str
    body: Any
    headers: dict[str, Any]
    properties: dict[str, Any]


def messages(queue: str = "schedules", redis: Redis | None = None) -> list[Message]:
    """The messages in a queue, oldest first."""
    found = (redis or client()).lrange(queue, 0, -1)
    return [_decode(json.loads(text)) for text in reversed(found)]


def task_ids(queue: str = "schedules", redis: Redis | None = None) -> list[str]:
    """Their task ids, oldest first."""
    return [message.task_id for message in messages(queue, redis)]


def consume(app: Celery, queue: str) -> list[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Body, headers and properties of each message as kombu hands them to a worker; the queue is empty then."""
    found = []
    with app.connection_for_read() as connection:
        bound = app.amqp.queues[queue].bind(connection.default_channel)
        while (message := bound.get(no_ack=True)) is not None:
            found.append((message.payload, message.headers, message.properties))
    return found


def _decode(raw: dict[str, Any]) -> Message:
    body = json.loads(base64.b64decode(raw["body"]))
    return Message(raw["headers"]["id"], body, raw["headers"], raw["properties"])
