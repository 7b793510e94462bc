"""Intervals: equal steps from an anchor, whatever a process did or missed. Pure; instants are UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from schedules.timing.rule import TICK, InvalidRule
from schedules.timing.wall_clock import once_of, wall_of

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
        return self._at((instant - self.anchor) // self.every + 1)

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last multiple before `instant`; None at and before the anchor."""
        if instant <= self.anchor:
            return None
        return self._at((instant - self.anchor - TICK) // self.every)

    def matches(self, instant: datetime) -> bool:
        """Whether `instant` is a multiple."""
        return instant >= self.anchor and (instant - self.anchor) % self.every == timedelta(0)

    def _at(self, steps: int) -> datetime | None:
        try:
            return self.anchor + steps * self.every
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class WallInterval:
    """Every `days` days at the wall time that the anchor shows in `zone`, whatever its clocks do in between.

    A wall time in a gap fires at the first instant after it, one that comes twice on the first pass. Raises InvalidRule
    when `days` is not a whole number from 1 to 36,525.
    """

    days: int
    anchor: datetime
    zone: ZoneInfo

    def __post_init__(self) -> None:
        if not 1 <= self.days <= LONGEST.days:
            raise InvalidRule(f"every {self.days} days cannot follow a wall clock: take 1 to {LONGEST.days} days")

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time after `instant`, never before the anchor."""
        if instant < self.anchor:
            return self.anchor
        steps = self._steps_to(instant)  # one too few on the second pass of a repeated hour
        return next((found for k in range(4) if (found := self._at(steps - 1 + k)) and found > instant), None)

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last fire time before `instant`; None at and before the anchor."""
        steps = self._steps_to(instant)
        return next((found for k in range(3) if (found := self._at(steps + 1 - k)) and found < instant), None)

    def matches(self, instant: datetime) -> bool:
        """Whether `instant` is a fire time."""
        return self.next_after(instant - TICK) == instant

    def _steps_to(self, instant: datetime) -> int:
        return (wall_of(instant, self.zone) - wall_of(self.anchor, self.zone)) // timedelta(days=self.days)

    def _at(self, steps: int) -> datetime | None:
        if steps <= 0:
            return self.anchor if steps == 0 else None
        try:
            return once_of(wall_of(self.anchor, self.zone) + timedelta(days=steps * self.days), self.zone)
        except OverflowError:
            return None
