"""Looks at a running stack from outside, without Django: is it up, and has it come to rest?"""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from redis import Redis

_QUEUES = ("schedules", "accounts")
_UNACKED = "unacked"


class Watch:
    """Asks the stack's own PostgreSQL and Valkey."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._database_url = environment["DATABASE_URL"]
        self._redis = Redis.from_url(environment["REDIS_URL"], decode_responses=True)

    def is_up(self, beats: int) -> bool:
        """So many beats report, and a worker has ended a run."""
        reporting = sum(1 for _ in self._redis.scan_iter(match="slotbeat:beat:*"))
        return reporting >= beats and self._one("SELECT EXISTS (SELECT FROM schedules_slot WHERE state = 'done')")

    def is_at_rest(self) -> bool:
        """Nothing waits in a queue or in a worker's hands, and every event has been published."""
        waiting = sum(int(self._redis.llen(queue)) for queue in _QUEUES) + int(self._redis.hlen(_UNACKED))
        return not waiting and self._one("SELECT NOT EXISTS (SELECT FROM workers_outboxevent WHERE state = 'pending')")

    def close(self) -> None:
        """Ends the connection."""
        self._redis.close()

    def _one(self, query: str) -> bool:
        with psycopg.connect(self._database_url, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
        return bool(row and row[0])
