"""The ledger forgets finished slots past their retention, but never a schedule's newest: a beat starts from it."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

_PURGE = """
DELETE FROM schedules_slot WHERE id IN (
  SELECT old.id FROM schedules_slot AS old
  WHERE old.scheduled_for < %s AND old.state IN ('done', 'failed', 'skipped')
    AND EXISTS (SELECT 1 FROM schedules_slot AS newer
                WHERE newer.schedule = old.schedule AND newer.scheduled_for > old.scheduled_for
                  AND newer.trigger <> 'manual')
  ORDER BY old.scheduled_for LIMIT %s)
"""


def purge_slots(before: datetime, limit: int) -> int:
    """Deletes at most `limit` finished slots of fire times before `before`, oldest first; says how many."""
    with connection.cursor() as cursor:
        cursor.execute(_PURGE, [before, limit])
        return int(cursor.rowcount)
