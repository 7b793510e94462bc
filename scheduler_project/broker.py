"""How much waits in the queues, asked of whatever broker the project has."""

from __future__ import annotations

from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError


def queue_lengths(app: Celery) -> dict[str, int]:
    """Messages waiting in each declared queue; those in a worker's hands do not count.

    Raises kombu's OperationalError when the broker cannot be asked.
    """
    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        try:
            return {name: _waiting(channel, name, connection.channel_errors) for name in app.amqp.queues}
        except connection.connection_errors as error:
            raise OperationalError(str(error)) from error


def _waiting(channel: Any, name: str, absent: tuple[type[BaseException], ...]) -> int:
    """A queue that nobody has declared yet holds nothing."""
    try:
        return int(channel.queue_declare(queue=name, passive=True).message_count)
    except absent:
        return 0


def in_hand(app: Celery) -> int:
    """Messages that workers hold unacknowledged, where the broker is Redis; 0 elsewhere."""
    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        key = getattr(channel, "unacked_key", None)
        return int(channel.client.hlen(key)) if key else 0
