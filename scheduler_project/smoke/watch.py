"""Looks at a running stack from outside, without Django: is it up, and has it come to rest?"""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from redis import Redis

# Redis has no priorities: the transport keeps a list for each of its four steps.
_STEPS = ("", "\x06\x163", "\x06\x166", "\x06\x169")
_QUEUES = tuple(f"{name}{step}" for name in ("schedules", "accounts") for step in _STEPS)
_UNACKED = "unacked"
_WHOLE_SLOT = """
SELECT EXISTS (
  SELECT FROM workers_fanout AS slot
  WHERE finished_at IS NOT NULL AND skipped = 0 AND published = (
    SELECT count(*) FROM workers_lease AS run
    WHERE run.code = slot.schedule AND run.scheduled_for = slot.scheduled_for AND account <> '' AND state = 'SUCCESS'
  ) OFFSET 1
)
"""


class Watch:
    """Asks the stack's own PostgreSQL and Valkey."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._database_url = environment["DATABASE_URL"]
        self._redis = Redis.from_url(environment["REDIS_URL"], decode_responses=True)

    def is_up(self, beats: int) -> bool:
        """So many beats report, and one slot has run for every account: the first ones read what had gathered."""
        reporting = sum(1 for _ in self._redis.scan_iter(match="slotbeat:beat:*"))
        return reporting >= beats and self._one(_WHOLE_SLOT)

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
