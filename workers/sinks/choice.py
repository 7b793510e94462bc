"""The sink that the settings name."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from redis import Redis

from workers.conf import conf
from workers.sinks.base import Sink
from workers.sinks.kafka import KafkaSink
from workers.sinks.redis_stream import RedisStreamSink

NAMES = ("kafka", "redis")


def chosen_sink() -> Sink:
    """Makes the sink of SLOTBEAT_OUTBOX_SINK. Raises ImproperlyConfigured when it, or its server, is not named."""
    now = conf()
    if now.outbox_sink == "kafka" and now.kafka_bootstrap_servers:
        return KafkaSink(now.kafka_bootstrap_servers, now.outbox_send_seconds)
    if now.outbox_sink == "redis" and now.redis_url:
        return RedisStreamSink(
            Redis.from_url(now.redis_url, decode_responses=True, socket_timeout=now.outbox_send_seconds)
        )
    if now.outbox_sink not in NAMES:
        raise ImproperlyConfigured(f"SLOTBEAT_OUTBOX_SINK is {now.outbox_sink!r}: set it to {' or '.join(NAMES)}")
    raise ImproperlyConfigured(
        f"no server is named for the sink {now.outbox_sink!r}: start one with `make up`, "
        "or set KAFKA_BOOTSTRAP_SERVERS or REDIS_URL"
    )
