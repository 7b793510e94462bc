"""Whatever a beat does with its plan, no fire time is lost and none comes twice."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from schedules.plan import Due, Plan
from schedules.timing.interval import Interval
from schedules.timing.misfire import MisfirePolicy
from tests.support.schedules import NINE, by_name, definition, seconds

STEPS = {"a": 2, "b": 3, "c:%": 7}
WIDE = MisfirePolicy(window=timedelta(days=1))


class PlanUnderFire(RuleBasedStateMachine):
    """Three schedules; looks, hand-overs and refusals of the broker come in any order, and time only moves on."""

    @initialize()
    def start(self) -> None:
        """All three are there from the beginning."""
        self.now = NINE
        self.kwargs = 0
        self.plan = Plan({})
        self.given: dict[str, list[datetime]] = defaultdict(list)
        self._refresh()

    @rule(count=st.integers(0, 12))
    def time_passes(self, count: int) -> None:
        """Up to twelve seconds."""
        self.now += seconds(count)

    @rule(choices=st.lists(st.booleans(), min_size=3, max_size=3))
    def look(self, choices: list[bool]) -> None:
        """Some of what is due is handed over, the rest is put back."""
        dues = self.plan.take_due(self.now)
        assert len({due.definition.name for due in dues}) == len(dues)
        for due, handed_over in zip(dues, choices, strict=False):
            self._settle(due) if handed_over else self.plan.put_back(due)

    @rule()
    def read_again(self) -> None:
        """Rows are read, and nothing has changed."""
        self._refresh()

    @rule()
    def edit_arguments(self) -> None:
        """Something that does not move fire times is changed in every row."""
        self.kwargs += 1
        self._refresh()

    @invariant()
    def each_fire_time_came_once_and_in_order(self) -> None:
        """What was handed over is, from the first on, all there was to hand over."""
        for name, instants in self.given.items():
            assert instants == [NINE + n * seconds(STEPS[name]) for n in range(1, len(instants) + 1)]

    @invariant()
    def the_next_fire_time_is_the_earliest_not_handed_over(self) -> None:
        """So that no pause goes past it."""
        ahead = [NINE + (len(self.given[name]) + 1) * seconds(step) for name, step in STEPS.items()]
        assert self.plan.next_fire_time == min(ahead)

    def _settle(self, due: Due) -> None:
        self.given[due.definition.name] += due.fire_times
        self.plan.settle(due, until=self.now)

    def _refresh(self) -> None:
        rows = (
            definition(name, rule=Interval(seconds(step), NINE), since=NINE, misfire=WIDE, kwargs={"n": self.kwargs})
            for name, step in STEPS.items()
        )
        self.plan.refresh(by_name(*rows), self.now)


PlanUnderFire.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestPlanUnderFire = PlanUnderFire.TestCase
