"""READ FIRST. One pass of a beat: what is due goes through misfire, stamp, guard and publisher, then into the ledger.

A beat may die between any two steps: an unconfirmed claim runs out and another beat retakes the slot under its id.
What could not be handed over stays due, and is judged by the misfire rules again at the next pass.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from schedules.conf import Conf
from schedules.guard import Guard
from schedules.handover import Outcome, Result, hand_over
from schedules.ledger import Entry, Ledger
from schedules.models import SkipReason, SlotState
from schedules.orders import order_for
from schedules.plan import Due, Plan
from schedules.publisher import PUBLISH_ERRORS, Order
from schedules.stamp import Trigger
from schedules.timing.misfire import decide

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A due schedule, the orders of the fire times that go, and those of the ones that do not.

    Where some are paced, what goes now settles the schedule only up to `until`.
    """

    due: Due
    going: tuple[Order, ...]
    skipped: tuple[Order, ...]
    until: datetime | None


class Dispatch:
    """The passes of one beat over its plan."""

    def __init__(
        self, plan: Plan, guard: Guard, publish: Callable[[Sequence[Order]], None], ledger: Ledger, conf: Conf
    ) -> None:
        self._plan = plan
        self._guard = guard
        self._publish = publish
        self._ledger = ledger
        self._claim_life = timedelta(seconds=conf.claim_seconds)
        self._chunk_size = conf.chunk_size
        self._held: list[tuple[datetime, Order]] = []

    def run_pass(self, now: datetime) -> bool:
        """Dispatches everything due at `now`; False when some of it could not be handed over and stays due."""
        planned = [_plan_orders(due) for due in self._plan.take_due(now)]
        retakes = self._take_held(now)
        orders = [*retakes, *(order for each in planned for order in each.going)]
        results = self._hand_over(orders)
        self._hold((result.order for result in results if result.outcome is Outcome.HELD), now + self._claim_life)
        self._settle(planned, {result.order.stamp.slot_id: result.outcome for result in results}, now)
        unsent = [result.order for result in results if result.outcome is Outcome.UNSENT]
        self._hold((order for order in retakes if order in unsent), now)
        self._note(results, now)
        return not unsent

    def next_time(self) -> datetime | None:
        """When the next pass has something to do, None if nothing is planned."""
        times = [at for at, _ in self._held]
        if self._plan.next_fire_time is not None:
            times.append(self._plan.next_fire_time)
        return min(times, default=None)

    def _hand_over(self, orders: Sequence[Order]) -> list[Result]:
        results: list[Result] = []
        for start in range(0, len(orders), self._chunk_size):
            try:
                results += hand_over(orders[start : start + self._chunk_size], self._guard, self._publish)
            except PUBLISH_ERRORS as error:
                rest = orders[start:]
                logger.warning("nothing can be handed over, %d slots stay due: %r", len(rest), error)
                return [*results, *(Result(order, Outcome.UNSENT) for order in rest)]
        return results

    def _settle(self, planned: Iterable[_Planned], outcomes: Mapping[str, Outcome], now: datetime) -> None:
        for each in planned:
            came_out = [outcomes[order.stamp.slot_id] for order in each.going]
            if Outcome.UNSENT in came_out:
                self._plan.put_back(each.due)
                continue
            runs = sum(outcome is not Outcome.OVERLAP for outcome in came_out)
            pause = each.due.definition.misfire.pace if each.until else None
            self._plan.settle(each.due, runs, until=each.until, again_at=now + pause if pause else None)
            self._ledger.add(_missed(order) for order in each.skipped)

    def _hold(self, orders: Iterable[Order], until: datetime) -> None:
        self._held += [(until, order) for order in orders]

    def _take_held(self, now: datetime) -> list[Order]:
        taken = [order for at, order in self._held if at <= now]
        self._held = [(at, order) for at, order in self._held if at > now]
        return taken

    def _note(self, results: Iterable[Result], now: datetime) -> None:
        self._ledger.add(entry for result in results if (entry := _entry(result, now)) is not None)


def _plan_orders(due: Due) -> _Planned:
    decision = decide(due.fire_times, due.definition.misfire, due.until)
    going = [
        *(order_for(due.definition, instant, Trigger.CATCHUP) for instant in decision.catch_up),
        *(order_for(due.definition, instant, Trigger.SCHEDULE) for instant in decision.on_time),
    ][: due.runs_left]
    skipped = (order_for(due.definition, instant, Trigger.SCHEDULE) for instant in decision.skipped)
    return _Planned(due, tuple(going), tuple(skipped), decision.catch_up[-1] if decision.paced else None)


def _entry(result: Result, now: datetime) -> Entry | None:
    if result.outcome is Outcome.DISPATCHED:
        return Entry(result.order.stamp, SlotState.DISPATCHED, at=now)
    if result.outcome is Outcome.OVERLAP:
        detail = f"{result.holder} had not ended"
        return Entry(result.order.stamp, SlotState.SKIPPED, reason=SkipReason.OVERLAP, detail=detail)
    return None


def _missed(order: Order) -> Entry:
    detail = "its fire time passed while no beat could hand it over"
    return Entry(order.stamp, SlotState.SKIPPED, reason=SkipReason.CATCH_UP, detail=detail)
