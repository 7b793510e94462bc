"""A beat without its process: a plan, a guard on the test's Redis, a ledger, and a broker that a test may break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from schedules.conf import Conf
from schedules.conf import conf as settings_of_schedules
from schedules.definitions import Definition
from schedules.dispatch import Dispatch
from schedules.guard import Guard
from schedules.ledger import Ledger
from schedules.plan import Plan
from schedules.publisher import Order
from schedules.timing.misfire import CatchUp, MisfirePolicy
from tests.support.schedules import NINE, by_name, definition, seconds
from tests.support.valkey import Cable


class Beat:
    """A dispatch with its plan and ledger; `sent` is what reached the broker, shared by all beats of a test."""

    def __init__(self, sent: list[Order], *definitions: Definition, owner: str = "beat-a", **settings: float) -> None:
        conf = Conf(**settings)  # type: ignore[arg-type] # numbers only
        self.sent = sent
        self.broker_error: Exception | None = None
        self.after_publishing: Callable[[], object] = lambda: None
        self.cable = Cable(settings_of_schedules().redis_url)
        self.guard = Guard(self.cable.client, owner, conf)
        self.ledger = Ledger(owner, capacity=10_000)
        self.plan = Plan({})
        self.plan.refresh(by_name(*definitions), NINE)
        self.dispatch = Dispatch(self.plan, self.guard, self._publish, self.ledger, conf)

    def run(self, *afters: float) -> bool:
        """A pass at each of these seconds after nine; the answer of the last."""
        handed_over = False
        for after in afters:
            handed_over = self.dispatch.run_pass(NINE + seconds(after))
            assert self.ledger.flush()
        return handed_over

    def _publish(self, orders: Sequence[Order]) -> None:
        if self.broker_error is not None:
            raise self.broker_error
        self.sent += orders
        self.after_publishing()


def times(sent: list[Order], schedule: str = "a") -> list[datetime]:
    """The fire times of a schedule that were sent, in the order of sending."""
    return [each.stamp.scheduled_for for each in sent if each.stamp.schedule == schedule]


def at(*afters: float) -> list[datetime]:
    """The instants so many seconds after nine."""
    return [NINE + seconds(after) for after in afters]


def every_ten(name: str = "a", policy: CatchUp = CatchUp.LATEST, **rest: Any) -> Definition:
    """Every ten seconds from nine on; missed times count for a minute."""
    misfire = MisfirePolicy(policy, timedelta(minutes=1))
    return definition(name, since=NINE, misfire=misfire, **rest)
