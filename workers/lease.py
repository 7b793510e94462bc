"""The right to do one run: PostgreSQL judges, by its own clock. A loser gets a result, not an exception.

Rules: a finished or live run is not acquired; a failed or expired one is claimed again in one statement; the owner
token changes with every claim, so an old owner can neither heartbeat nor finish; the idempotency key never changes.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import IntegrityError, connection

from schedules.stamp import Stamp
from workers.identity import Identity

_INSERT = """
INSERT INTO workers_lease
  (kind, code, run_key, idempotency_key, account, scheduled_for, state, reason, error, overlap_key, owner, fence,
   attempts, worker, acquired_at, heartbeat_at, expires_at, created_at)
SELECT %(kind)s, %(code)s, %(run_key)s, %(key)s, %(account)s, %(scheduled_for)s, 'RUNNING', '', '', %(overlap_key)s,
       %(owner)s, 1, 1, %(worker)s, now, now, now + %(lease)s * interval '1 second', now
FROM clock_timestamp() AS now
ON CONFLICT DO NOTHING
RETURNING id, fence
"""

_RECLAIM = """
UPDATE workers_lease
SET state = 'RUNNING', reason = '', error = '', owner = %(owner)s, fence = fence + 1, attempts = attempts + 1,
    worker = %(worker)s, acquired_at = now, heartbeat_at = now, expires_at = now + %(lease)s * interval '1 second',
    finished_at = NULL
FROM clock_timestamp() AS now
WHERE idempotency_key = %(key)s AND (state = 'FAIL' OR (state = 'RUNNING' AND expires_at < now))
RETURNING id, fence
"""

_LOOK = """
SELECT state, worker, EXTRACT(EPOCH FROM expires_at - clock_timestamp()), run_key FROM workers_lease
"""

# A run that expired since it was looked at is not its own rival: the next try claims it.
_RIVAL = "WHERE overlap_key = %(overlap_key)s AND state = 'RUNNING' AND idempotency_key <> %(key)s"

# A run whose worker died must not hold back the next one of its schedule and account for ever.
_EXPIRE_RIVAL = """
UPDATE workers_lease SET state = 'FAIL', error = 'its lease expired', finished_at = clock_timestamp()
WHERE overlap_key = %(overlap_key)s AND state = 'RUNNING' AND expires_at < clock_timestamp()
"""

_SKIP = """
INSERT INTO workers_lease
  (kind, code, run_key, idempotency_key, account, scheduled_for, state, reason, error, fence, attempts, worker,
   finished_at, created_at)
SELECT 'SCHEDULE', code, run_key, key, account, scheduled_for, 'SKIPPED', reason, detail, 0, 0, '',
       clock_timestamp(), clock_timestamp()
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::text[], %s::text[])
  AS skip(code, run_key, key, account, scheduled_for, reason, detail)
ON CONFLICT (idempotency_key) DO UPDATE
SET state = 'SKIPPED', reason = EXCLUDED.reason, error = EXCLUDED.error, finished_at = EXCLUDED.finished_at
WHERE workers_lease.state = 'FAIL' AND workers_lease.attempts = 0
"""

_CLOCK = "clock_timestamp() AS now"
_CLOCK_NOT_WAITING_FOR_DISK = "(SELECT clock_timestamp() AS now, set_config('synchronous_commit', 'off', true)) AS c"
_MINE = "id = %(id)s AND owner = %(owner)s AND fence = %(fence)s AND state = 'RUNNING'"


class LeaseLost(RuntimeError):
    """The run belongs to another worker now; nothing of it may be written any more."""


class Refusal(StrEnum):
    """Why a run was not acquired."""

    ENDED = "ended"  # it succeeded or was skipped: there is nothing to do
    BUSY = "busy"  # another worker holds it
    OVERLAP = "overlap"  # an earlier run of the same schedule (and account) has not ended


@dataclass(frozen=True, slots=True)
class HeldLease:
    """A run that is this worker's; `fence` grows with each claim and may be handed to what the run writes to."""

    id: int
    owner: uuid.UUID
    fence: int
    idempotency_key: str
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class Refused:
    """A run that is not this worker's: why, whose it is and for how many seconds yet."""

    why: Refusal
    holder: str = ""
    seconds: float = 0.0


def acquire(identity: Identity, lease_seconds: float, worker: str) -> HeldLease | Refused:
    """Claims the run for `lease_seconds`, atomically. Call it outside a transaction: the claim must be seen at once."""
    owner = uuid.uuid4()
    parameters: dict[str, Any] = {
        "kind": identity.kind,
        "code": identity.code,
        "run_key": identity.run_key,
        "key": identity.idempotency_key,
        "account": identity.account,
        "scheduled_for": identity.scheduled_for,
        "overlap_key": identity.overlap_key,
        "owner": owner,
        "worker": worker[:200],
        "lease": lease_seconds,
    }
    for _attempt in range(2):
        claimed = _claim(parameters)
        if claimed:
            return HeldLease(claimed[0], owner, claimed[1], identity.idempotency_key, lease_seconds)
        refused = _refusal(parameters)
        if refused:
            return refused
    return Refused(Refusal.BUSY, seconds=1.0)


def _claim(parameters: dict[str, Any]) -> tuple[int, int] | None:
    with connection.cursor() as cursor:
        for statement in (_INSERT, _RECLAIM):
            try:
                cursor.execute(statement, parameters)
            except IntegrityError:
                # The overlap index spoke: this run may be claimed, but a rival is running.
                return None
            if found := cursor.fetchone():
                return found[0], found[1]
    return None


def _refusal(parameters: dict[str, Any]) -> Refused | None:
    """Why the claim failed; None when what stood in the way has just gone and another try is worth it."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPIRE_RIVAL, parameters)
        cursor.execute(_LOOK + "WHERE idempotency_key = %(key)s", parameters)
        if (own := cursor.fetchone()) and own[0] in ("SUCCESS", "SKIPPED"):
            return Refused(Refusal.ENDED)
        if own and own[0] == "RUNNING" and own[2] > 0:
            return Refused(Refusal.BUSY, own[1], float(own[2]))
        cursor.execute(_LOOK + _RIVAL, parameters)
        if rival := cursor.fetchone():
            return Refused(Refusal.OVERLAP, rival[3], float(rival[2]))
    return None


def heartbeat(lease: HeldLease) -> bool:
    """Prolongs the lease by its length from now; False when it is no longer this owner's."""
    return _update("heartbeat_at = now, expires_at = now + %(lease)s * interval '1 second'", lease)


def complete(lease: HeldLease) -> bool:
    """The run succeeded; False when it is no longer this owner's.

    Not waited for on the disk: should the database server crash in the next moment the run is done again under its
    key, as after any crash between a job's last commit and this.
    """
    return _update("state = 'SUCCESS', finished_at = now", lease, clock=_CLOCK_NOT_WAITING_FOR_DISK)


def fail(lease: HeldLease, error: str) -> bool:
    """The run failed and may be claimed again; False when it is no longer this owner's."""
    return _update("state = 'FAIL', finished_at = now, error = %(error)s", lease, error=error)


def release(lease: HeldLease) -> bool:
    """The run is given back undone: it may be claimed again, and this claim costs no attempt."""
    change = "state = 'FAIL', finished_at = now, attempts = attempts - 1, error = 'given back by a stopping worker'"
    return _update(change, lease)


def assert_mine(lease: HeldLease) -> None:
    """Locks the row until the caller's transaction ends. Raises LeaseLost when the run is no longer this owner's."""
    condition = f"{_MINE} AND expires_at > clock_timestamp()"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM workers_lease WHERE {condition} FOR UPDATE", _parameters(lease))  # noqa: S608 fixed texts
        if cursor.fetchone() is None:
            raise LeaseLost(f"the lease of run {lease.idempotency_key} was lost: its changes are rolled back")


def skip(stamps: Sequence[Stamp], reason: str, details: Sequence[str]) -> int:
    """Records runs that will not happen, in one statement, and returns how many.

    A run that has a row keeps it and is not counted, but for one that was given back before it was tried.
    """
    rows = [
        (
            stamp.schedule,
            stamp.slot_id,
            stamp.idempotency_key,
            stamp.account,
            stamp.scheduled_for,
            reason,
            detail,
        )
        for stamp, detail in zip(stamps, details, strict=True)
    ]
    if not rows:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_SKIP, [list(column) for column in zip(*rows, strict=True)])
        return int(cursor.rowcount)


def _update(change: str, lease: HeldLease, *, error: str = "", clock: str = _CLOCK) -> bool:
    statement = f"UPDATE workers_lease SET {change} FROM {clock} WHERE {_MINE}"  # noqa: S608 fixed texts
    with connection.cursor() as cursor:
        cursor.execute(statement, {**_parameters(lease), "error": error})
        return bool(cursor.rowcount)


def _parameters(lease: HeldLease) -> dict[str, Any]:
    return {"id": lease.id, "owner": lease.owner, "fence": lease.fence, "lease": lease.lease_seconds}
