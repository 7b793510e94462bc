"""READ SECOND. One run: lease, job, its changes and events in one fenced transaction, finish by owner.

The message is only a hint that a run is due: it may come twice, late, or after the run has ended. The lease decides.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from schedules import door
from schedules.door import SkipReason
from schedules.stamp import Stamp
from workers import lease as leases
from workers.drain import Interrupted, drain
from workers.heartbeat import heartbeats
from workers.identity import Identity
from workers.lease import LeaseLost, Refusal, Refused
from workers.run import Run, current_run

logger = logging.getLogger(__name__)


class Busy(Exception):
    """Another worker holds the run; should that one die, this message must come back in `seconds`."""

    def __init__(self, slot_id: str, refused: Refused) -> None:
        super().__init__(f"run {slot_id} is held by {refused.holder} for {refused.seconds:.1f} s yet")
        self.seconds = refused.seconds


def execute(stamp: Stamp, work: Callable[[], Any], worker: str) -> Any:
    """Does the run's work unless it is done, doing, overlapping or too late; what `work` returned is returned.

    Raises Busy and Interrupted, which the caller turns into a later delivery, and whatever `work` raises.
    """
    drain.checkpoint()
    now = _clock()
    if stamp.deadline is not None and now > stamp.deadline and _too_late(stamp, now):
        return None
    asked_at = time.monotonic()
    held = leases.acquire(Identity.of(stamp), stamp.lease_seconds, worker)
    if isinstance(held, Refused):
        return _refused(stamp, held, now)
    with heartbeats().keep(held, asked_at) as kept:
        return _run(Run(stamp, kept), work, now)


def _run(run: Run, work: Callable[[], Any], now: datetime) -> Any:
    token = current_run.set(run)
    try:
        door.run_started(run.stamp, now)
        result = work()
    except Interrupted:
        leases.release(run.lease)
        raise
    except LeaseLost as error:
        logger.warning("slot %s: %s", run.stamp.slot_id, error)
        return None
    except Exception as error:
        _finish(run, error=_storable(f"{type(error).__name__}: {error}"))
        raise
    finally:
        current_run.reset(token)
    _finish(run)
    return result


def _finish(run: Run, error: str = "") -> None:
    # A connection that broke under the work would keep the end of the run from being written.
    connection.close_if_unusable_or_obsolete()
    mine = leases.fail(run.lease, error) if error else leases.complete(run.lease)
    if mine:
        door.run_ended(run.stamp, _clock(), error=error)
    else:
        logger.warning("slot %s ended after its lease was lost: another worker has it", run.stamp.slot_id)


def _storable(text: str) -> str:
    """PostgreSQL takes neither NUL nor half a surrogate pair, and an error may quote anything."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()


def _refused(stamp: Stamp, refused: Refused, now: datetime) -> None:
    if refused.why is Refusal.OVERLAP:
        return _skip(stamp, now, SkipReason.OVERLAP, f"{refused.holder} had not ended")
    if refused.why is Refusal.BUSY:
        raise Busy(stamp.slot_id, refused)
    logger.info("slot %s had ended: this delivery was a duplicate", stamp.slot_id)
    return None


def _too_late(stamp: Stamp, now: datetime) -> bool:
    """Skips the run, unless an earlier delivery of it came in time: that one has a lease, which decides."""
    detail = f"a worker was free {now - stamp.scheduled_for} after its time"
    if not leases.skip([stamp], str(SkipReason.DEADLINE), [detail]):
        return False
    door.run_skipped(stamp, now, SkipReason.DEADLINE, detail)
    return True


def _skip(stamp: Stamp, now: datetime, reason: SkipReason, detail: str) -> None:
    leases.skip([stamp], str(reason), [detail])
    door.run_skipped(stamp, now, reason, detail)


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 a delivered message is an entry point
