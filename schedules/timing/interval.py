"""Intervals: equal steps from an anchor, whatever a process did or missed. Pure; instants are UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from schedules.timing.rule import InvalidRule

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SHORTEST = timedelta(milliseconds=100)
LONGEST = timedelta(days=36_525)


@dataclass(frozen=True, slots=True)
class Interval:
    """Fires at anchor + k * every for every whole k >= 0; the anchor is the epoch unless a start time is set.

    Raises InvalidRule when the step is under 100 ms, which would be a loop and no schedule, or over 100 years.
    """

    every: timedelta
    anchor: datetime = EPOCH

    def __post_init__(self) -> None:
        if self.every < SHORTEST:
            raise InvalidRule(f"every {self.every} is too short: the shortest interval is 100 milliseconds")
        if self.every > LONGEST:
            raise InvalidRule(f"every {self.every.days} days is too long: the longest interval is 100 years")

    def next_after(self, instant: datetime) -> datetime | None:
        """The first multiple after `instant`, never before the anchor; None when it lies past the year 9999."""
        if instant < self.anchor:
            return self.anchor
        steps = (instant - self.anchor) // self.every + 1
        try:
            return self.anchor + steps * self.every
        except OverflowError:
            return None
