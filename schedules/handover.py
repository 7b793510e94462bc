"""Guard, publish, confirm: how slots reach the broker once, whoever asks (a beat, a fan-out, a person)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from schedules.guard import Guard, Verdict
from schedules.publisher import PUBLISH_ERRORS, Order

logger = logging.getLogger(__name__)


class Outcome(StrEnum):
    """What became of an order."""

    DISPATCHED = "dispatched"  # this process handed it to the broker
    DUPLICATE = "duplicate"  # another has
    HELD = "held"  # another is about to; ask again when its claim would have run out
    OVERLAP = "overlap"  # skipped, the earlier run has not ended
    UNSENT = "unsent"  # the broker did not take it; it is still due


@dataclass(frozen=True, slots=True)
class Result:
    """An order and its outcome; `holder` is the slot id in the way, for OVERLAP."""

    order: Order
    outcome: Outcome
    holder: str = ""


_OUTCOMES = {
    Verdict.WON: Outcome.DISPATCHED,
    Verdict.SENT: Outcome.DUPLICATE,
    Verdict.HELD: Outcome.HELD,
    Verdict.OVERLAP: Outcome.OVERLAP,
}


def hand_over(orders: Sequence[Order], guard: Guard, publish: Callable[[Sequence[Order]], None]) -> list[Result]:
    """Hands over what the guard lets through; claims of what the broker refused are given back.

    Raises redis.RedisError when the guard cannot be asked: nothing was published then.
    """
    claims = guard.claim([order.stamp for order in orders])
    results = [
        Result(order, _OUTCOMES[claim.verdict], claim.holder) for order, claim in zip(orders, claims, strict=True)
    ]
    won = [result.order for result in results if result.outcome is Outcome.DISPATCHED]
    if not won:
        return results
    try:
        publish(won)
    except PUBLISH_ERRORS as error:
        _give_back(won, guard, error)
        return [_unsent(result) if result.outcome is Outcome.DISPATCHED else result for result in results]
    _confirm(won, guard)
    return results


def _confirm(won: Sequence[Order], guard: Guard) -> None:
    try:
        confirmed = guard.confirm([order.stamp for order in won])
    except PUBLISH_ERRORS as error:
        logger.warning("published, but not confirmed: the slots may be sent again, and will run once", exc_info=error)
        return
    if confirmed < len(won):
        logger.warning("%d of %d claims ran out while publishing: raise claim_seconds", len(won) - confirmed, len(won))


def _give_back(won: Sequence[Order], guard: Guard, error: Exception) -> None:
    logger.error("the broker did not take %d slots, they stay due: %r", len(won), error)
    try:
        guard.release([order.stamp for order in won])
    except PUBLISH_ERRORS:
        logger.warning("the claims could not be given back and run out by themselves")


def _unsent(result: Result) -> Result:
    return Result(result.order, Outcome.UNSENT)
