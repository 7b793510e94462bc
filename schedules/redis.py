"""The one Redis client of this process for guard, marks and reports."""

from __future__ import annotations

from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from schedules.conf import conf

SOCKET_SECONDS = 5.0


def client() -> Redis:
    """A client with bounded waits. Raises ImproperlyConfigured when no server is named."""
    url = conf().redis_url
    if not url:
        raise ImproperlyConfigured("no Redis server is named: start one with `make up`, or set REDIS_URL")
    return _client(url)


@lru_cache(maxsize=4)
def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=SOCKET_SECONDS,
        socket_connect_timeout=SOCKET_SECONDS,
        health_check_interval=30,
        retry=Retry(NoBackoff(), 1),
    )
