"""Which beats are alive: each reports after a pass that reached Redis, and is forgotten when it stops reporting."""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from datetime import datetime

from redis import Redis

from schedules.conf import Conf


@dataclass(frozen=True, slots=True)
class Report:
    """What a beat says of itself. `at` is ISO 8601 in UTC."""

    beat_id: str
    host: str
    pid: int
    at: str
    schedules: int
    rejected: int
    next_fire_time: str | None


def new_beat_id() -> str:
    """Random per process: neither host name nor pid tells two beats apart for sure."""
    return f"{socket.gethostname()[:60]}-{os.getpid()}-{secrets.token_hex(4)}"


def report(
    redis: Redis, conf: Conf, beat_id: str, now: datetime, *, schedules: int, rejected: int, next_time: datetime | None
) -> None:
    """Says that the beat lives. Raises redis.RedisError when it cannot be said."""
    said = Report(
        beat_id,
        socket.gethostname(),
        os.getpid(),
        now.isoformat(),
        schedules,
        rejected,
        next_time.isoformat() if next_time else None,
    )
    redis.set(_key(conf, beat_id), json.dumps(asdict(said)), px=round(conf.beat_ttl_seconds * 1000))


def retire(redis: Redis, conf: Conf, beat_id: str) -> None:
    """The beat ends in good order and need not run out."""
    redis.delete(_key(conf, beat_id))


def alive(redis: Redis, conf: Conf) -> list[Report]:
    """The beats that have reported lately, by id."""
    keys = sorted(redis.scan_iter(match=_key(conf, "*"), count=1000))
    said = redis.mget(keys) if keys else []
    return [Report(**json.loads(text)) for text in said if text]


def _key(conf: Conf, beat_id: str) -> str:
    return f"{conf.key_prefix}:beat:{beat_id}"
