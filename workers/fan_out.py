"""One slot becomes one run per account: chunk by chunk through the guard, resumable behind the last chunk."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F

from schedules import door
from schedules.door import Order, Outcome, Result, SkipReason
from workers import accounts
from workers import lease as leases
from workers.accounts import AccountKey
from workers.conf import conf
from workers.models import FanOut
from workers.run import Run

logger = logging.getLogger(__name__)

_TRIES = 10
_PAUSE_SECONDS = 1.0


class FanOutStuck(RuntimeError):
    """The broker would not take an umbrella's runs; what was published is recorded, the rest is not."""


def fan_out(
    run: Run, task: str, kwargs: Mapping[str, Any], *, tenant: str, priority: int | None, finished_at: datetime
) -> FanOut:
    """Publishes one stamped message of `task` for each account behind the recorded cursor; returns the record.

    The messages have the umbrella's `priority`, in the broker's own meaning.
    """
    record, _ = FanOut.objects.get_or_create(
        slot_id=run.stamp.slot_id,
        defaults={"schedule": run.stamp.schedule, "scheduled_for": run.stamp.scheduled_for, "job": task},
    )
    for chunk in accounts.chunks(conf().fan_out_chunk, after=record.cursor, tenant=tenant):
        run.checkpoint()
        results = _hand_over(run, [_order(run, task, kwargs, account, priority) for account in chunk])
        _record(record, chunk, results)
    FanOut.objects.filter(pk=record.pk).update(finished_at=finished_at)
    record.refresh_from_db()
    return record


def _order(run: Run, task: str, kwargs: Mapping[str, Any], account: AccountKey, priority: int | None) -> Order:
    options = {"queue": conf().account_queue, "priority": priority}
    return Order(run.stamp.for_account(account.key), task, kwargs=kwargs, options=options)


def _hand_over(run: Run, orders: Sequence[Order]) -> list[Result]:
    """Tries until each order is settled: a claim of a killed attempt must run out first, a broker may come back."""
    settled: list[Result] = []
    for _attempt in range(_TRIES):
        results = door.dispatch(orders)
        settled += [result for result in results if result.outcome not in (Outcome.HELD, Outcome.UNSENT)]
        orders = [result.order for result in results if result.outcome in (Outcome.HELD, Outcome.UNSENT)]
        if not orders:
            return settled
        run.wait(_PAUSE_SECONDS)
    raise FanOutStuck(f"slot {run.stamp.slot_id}: {len(orders)} runs could not be handed to the broker")


def _record(record: FanOut, chunk: Sequence[AccountKey], results: Sequence[Result]) -> None:
    skipped = [result for result in results if result.outcome is Outcome.OVERLAP]
    leases.skip(
        [result.order.stamp for result in skipped],
        str(SkipReason.OVERLAP),
        [f"{result.holder} had not ended" for result in skipped],
    )
    FanOut.objects.filter(pk=record.pk).update(
        cursor=chunk[-1].position,
        published=F("published") + len(results) - len(skipped),
        skipped=F("skipped") + len(skipped),
    )
