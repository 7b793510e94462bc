"""Run now: a person asks for one run of a schedule, with the schedule's own options and an id of its own."""

from __future__ import annotations

import secrets
from datetime import datetime

from celery import current_app
from django_celery_beat.models import PeriodicTask

from schedules import beats, publisher
from schedules.conf import conf
from schedules.definitions import define
from schedules.guard import Guard
from schedules.handover import Outcome, Result, hand_over
from schedules.ledger import Entry, Ledger
from schedules.models import SkipReason, SlotState
from schedules.orders import manual_order
from schedules.redis import client


class NotHandedOver(RuntimeError):
    """The broker did not take a run that a person asked for."""


def run_now(row: PeriodicTask, now: datetime) -> Result:
    """Dispatches one run of `row`, also while it is disabled; its overlap policy holds, and the ledger records it.

    Raises ValueError when the schedule cannot run, NotHandedOver or redis.RedisError when the broker did not take it.
    """
    order = manual_order(define(row), secrets.token_hex(8), now)
    owner = beats.new_beat_id()
    (result,) = hand_over([order], Guard(client(), owner, conf()), lambda won: publisher.publish(current_app, won))
    if result.outcome is Outcome.UNSENT:
        raise NotHandedOver(f"schedule {row.name!r} was not run: the broker did not take the message, try again")
    ledger = Ledger(owner, capacity=1)
    ledger.add([_entry(result, now)])
    ledger.flush()
    return result


def _entry(result: Result, now: datetime) -> Entry:
    if result.outcome is Outcome.OVERLAP:
        detail = f"{result.holder} had not ended"
        return Entry(result.order.stamp, SlotState.SKIPPED, reason=SkipReason.OVERLAP, detail=detail)
    return Entry(result.order.stamp, SlotState.DISPATCHED, at=now)
