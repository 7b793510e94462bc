"""What became of each slot, written in bulk behind the hot path; a row is never moved backwards."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import Error, connection, transaction

from schedules.models import SkipReason, SlotState
from schedules.stamp import Stamp, Trigger

logger = logging.getLogger(__name__)

# The row of a slot is made by whoever comes first, beat or worker. A worker's word about a run stands against a
# beat's; only "skipped because it was missed" gives way to the beat that did send it.
_NOTE = """
INSERT INTO schedules_slot AS slot
  (slot_id, schedule, scheduled_for, trigger, state, reason, detail, dispatches, dispatched_by, dispatched_at)
SELECT * FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[],
                     %s::int[], %s::text[], %s::timestamptz[])
ON CONFLICT (slot_id) DO UPDATE SET
  dispatches = slot.dispatches + EXCLUDED.dispatches,
  dispatched_by = CASE WHEN slot.dispatched_by = '' THEN EXCLUDED.dispatched_by ELSE slot.dispatched_by END,
  dispatched_at = COALESCE(slot.dispatched_at, EXCLUDED.dispatched_at),
  state = CASE WHEN EXCLUDED.dispatches > 0 AND slot.reason = 'catch_up' THEN EXCLUDED.state ELSE slot.state END,
  reason = CASE WHEN EXCLUDED.dispatches > 0 AND slot.reason = 'catch_up' THEN '' ELSE slot.reason END,
  detail = CASE WHEN EXCLUDED.dispatches > 0 AND slot.reason = 'catch_up' THEN '' ELSE slot.detail END
"""

_COUNT = """
UPDATE django_celery_beat_periodictask AS task
SET last_run_at = sent.at, total_run_count = total_run_count + sent.runs,
    enabled = enabled AND NOT EXISTS (
      SELECT FROM schedules_scheduleoptions AS options
      WHERE options.periodic_task_id = task.id AND options.max_runs <= total_run_count + sent.runs)
FROM (SELECT unnest(%s::text[]) AS name, unnest(%s::timestamptz[]) AS at, unnest(%s::int[]) AS runs) AS sent
WHERE task.name = sent.name
"""

# A one-off ends with its slot, whatever became of it. After a restart the ledger knows of slots that a killed beat
# could not count.
_END_ONE_OFFS = """
UPDATE django_celery_beat_periodictask SET enabled = false WHERE one_off AND enabled AND name = ANY(%s)
"""

_END_SEEN_ONE_OFFS = """
UPDATE django_celery_beat_periodictask AS task SET enabled = false
WHERE one_off AND enabled AND EXISTS (
  SELECT FROM schedules_slot AS slot
  WHERE slot.schedule = task.name AND slot.trigger <> 'manual' AND slot.scheduled_for >= task.date_changed)
"""

_RUN = """
INSERT INTO schedules_slot AS slot
  (slot_id, schedule, scheduled_for, trigger, state, reason, detail, dispatches, dispatched_by, started_at, finished_at)
VALUES (%(slot_id)s, %(schedule)s, %(scheduled_for)s, %(trigger)s, %(state)s, %(reason)s, %(detail)s, 0, '',
        %(started_at)s, %(finished_at)s)
ON CONFLICT (slot_id) DO UPDATE SET
  state = EXCLUDED.state, reason = EXCLUDED.reason, detail = EXCLUDED.detail,
  started_at = COALESCE(EXCLUDED.started_at, slot.started_at), finished_at = EXCLUDED.finished_at
WHERE slot.state NOT IN ('done', 'skipped') OR slot.reason = 'catch_up'
"""

_LAST_SLOTS = """
SELECT name, last.scheduled_for
FROM django_celery_beat_periodictask AS task,
LATERAL (SELECT scheduled_for FROM schedules_slot AS slot
         WHERE slot.schedule = task.name AND slot.trigger <> 'manual' ORDER BY scheduled_for DESC LIMIT 1) AS last
WHERE task.enabled
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line to be written: a slot that was dispatched at `at`, or skipped for a reason."""

    stamp: Stamp
    state: SlotState
    at: datetime | None = None
    reason: SkipReason | None = None
    detail: str = ""


class Ledger:
    """Keeps entries of the beat `beat_id` until PostgreSQL has them; at most `capacity` while it is away."""

    def __init__(self, beat_id: str, capacity: int) -> None:
        self._beat_id = beat_id
        self._waiting: deque[Entry] = deque()
        self._capacity = capacity

    def add(self, entries: Iterable[Entry]) -> None:
        """Keeps entries for the next flush; beyond the capacity the oldest go, and are counted in the log."""
        self._waiting.extend(entries)
        excess = len(self._waiting) - self._capacity
        if excess > 0:
            logger.error("ledger full while PostgreSQL is away: %d oldest rows given up, workers write theirs", excess)
            for _ in range(excess):
                self._waiting.popleft()

    def flush(self) -> bool:
        """Writes everything in one transaction; False, and nothing lost, when PostgreSQL is away."""
        if not self._waiting:
            return True
        try:
            with transaction.atomic():
                self._write(list(self._waiting))
        except Error as error:
            logger.warning("ledger not written, %d rows wait: %s", len(self._waiting), error)
            connection.close()
            return False
        self._waiting.clear()
        return True

    def _write(self, entries: list[Entry]) -> None:
        # In one order for every beat: two that write the same slots must not wait for each other in a circle.
        # Of one slot's entries the last counts, but a dispatch more than any skip.
        latest = {
            entry.stamp.slot_id: entry for entry in sorted(entries, key=lambda e: e.state is SlotState.DISPATCHED)
        }
        merged = sorted(latest.values(), key=lambda e: e.stamp.slot_id)
        with connection.cursor() as cursor:
            cursor.execute(_NOTE, self._columns(merged))
            # A run by hand is none of the schedule's own: a one-off keeps its time to come.
            sent = [e for e in merged if e.state is SlotState.DISPATCHED and e.stamp.trigger is not Trigger.MANUAL]
            if sent:
                cursor.execute(_COUNT, _counts(sent))
            own = sorted({e.stamp.schedule for e in merged if e.stamp.trigger is not Trigger.MANUAL})
            cursor.execute(_END_ONE_OFFS, [own])

    def _columns(self, entries: list[Entry]) -> list[list[object]]:
        rows = [
            (
                entry.stamp.slot_id,
                entry.stamp.schedule,
                entry.stamp.scheduled_for,
                str(entry.stamp.trigger),
                str(entry.state),
                str(entry.reason or ""),
                entry.detail,
                int(entry.state is SlotState.DISPATCHED),
                self._beat_id if entry.state is SlotState.DISPATCHED else "",
                entry.at,
            )
            for entry in entries
        ]
        return [list(column) for column in zip(*rows, strict=True)]


def _counts(sent: list[Entry]) -> list[list[object]]:
    latest: dict[str, datetime | None] = {}
    runs: dict[str, int] = {}
    for entry in sent:
        name = entry.stamp.schedule
        latest[name] = entry.at
        runs[name] = runs.get(name, 0) + 1
    return [list(latest), list(latest.values()), [runs[name] for name in latest]]


def end_one_offs() -> None:
    """Switches off the one-offs whose slot is in the ledger: for the start of a beat."""
    with connection.cursor() as cursor:
        cursor.execute(_END_SEEN_ONE_OFFS)


def last_slots() -> dict[str, datetime]:
    """The newest slot of each enabled schedule, by name; manual runs do not count."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_SLOTS)
        return dict(cursor.fetchall())


def note_run(
    stamp: Stamp,
    state: SlotState,
    *,
    reason: str = "",
    detail: str = "",
    started_at: datetime | None = None,
    finished_at: datetime | None = None,
) -> None:
    """A worker's word about a slot's run; makes the row where a killed beat could not. Final rows stay as they are."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RUN,
            {
                "slot_id": stamp.slot_id,
                "schedule": stamp.schedule,
                "scheduled_for": stamp.scheduled_for,
                "trigger": str(stamp.trigger),
                "state": str(state),
                "reason": reason,
                # An error may hold what PostgreSQL refuses in text; the run's end must not fail on its own report.
                "detail": detail.replace("\0", "?").encode(errors="replace").decode(),
                "started_at": started_at,
                "finished_at": finished_at,
            },
        )
