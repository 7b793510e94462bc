"""The one door of `schedules` for those downstream: ask for dispatch, and say what became of a slot's run."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from celery import current_app

from schedules import beats, publisher
from schedules.conf import conf
from schedules.guard import Guard
from schedules.handover import Outcome, Result, hand_over
from schedules.ledger import note_run
from schedules.models import SkipReason, SlotState
from schedules.publisher import PUBLISH_ERRORS, Order
from schedules.redis import client
from schedules.retention import purge_slots
from schedules.stamp import Stamp

__all__ = [
    "PUBLISH_ERRORS",
    "Order",
    "Outcome",
    "Result",
    "SkipReason",
    "dispatch",
    "purge_slots",
    "run_ended",
    "run_skipped",
    "run_started",
]

logger = logging.getLogger(__name__)


def dispatch(orders: Sequence[Order]) -> list[Result]:
    """Hands orders over through the guard, in one round trip to it and one batch to the broker.

    Raises redis.RedisError when the guard cannot be asked; nothing was published then.
    """
    return hand_over(orders, _guard(), lambda won: publisher.publish(current_app, won))


def run_started(stamp: Stamp, now: datetime) -> None:
    """A worker holds the lease of the slot's run."""
    if not stamp.account:
        note_run(stamp, SlotState.RUNNING, started_at=now)


def run_ended(stamp: Stamp, now: datetime, *, error: str = "") -> None:
    """The run has ended, well or in `error`; the next one need not wait for it any longer."""
    if not stamp.account:
        note_run(stamp, SlotState.FAILED if error else SlotState.DONE, detail=error, finished_at=now)
    _clear_mark(stamp)


def run_skipped(stamp: Stamp, now: datetime, reason: SkipReason, detail: str) -> None:
    """The run will not happen, for this reason."""
    if not stamp.account:
        note_run(stamp, SlotState.SKIPPED, reason=str(reason), detail=detail, finished_at=now)
    _clear_mark(stamp)


def _clear_mark(stamp: Stamp) -> None:
    try:
        _guard().clear_mark(stamp)
    except PUBLISH_ERRORS as error:
        logger.warning("the overlap mark of %s could not be cleared and runs out by itself: %r", stamp.slot_id, error)


def _guard() -> Guard:
    return _guard_of(os.getpid())


@lru_cache(maxsize=4)
def _guard_of(_pid: int) -> Guard:
    """A forked child gets an owner of its own."""
    return Guard(client(), beats.new_beat_id(), conf())
