"""Intervals: equal steps from an anchor, whatever a process did or missed. Pure; instants are UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from schedules.timing.rule import InvalidRule

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SHORTEST = timedelta(milliseconds=100)


@dataclass(frozen=True, slots=True)
class Interval:
    """Fires at anchor + k * every for every whole k >= 0; the anchor is the epoch unless a start time is set.

    Raises InvalidRule when the step is under 100 ms: below that a schedule is a loop, not a schedule.
    """

    every: timedelta
    anchor: datetime = EPOCH

    def __post_init__(self) -> None:
        if self.every < SHORTEST:
            raise InvalidRule(f"every {self.every} is too short: the shortest interval is 100 milliseconds")

    def next_after(self, instant: datetime) -> datetime:
        """The first multiple after `instant`, never before the anchor."""
        if instant < self.anchor:
            return self.anchor
        steps = (instant - self.anchor) // self.every + 1
        return self.anchor + steps * self.every
