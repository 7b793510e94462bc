"""What every kind of rule answers, and the bounds that hold for all of them. Pure; instants are aware and UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

TICK = timedelta(microseconds=1)


class InvalidRule(ValueError):
    """A rule that cannot fire; the message names the field, the value and the remedy."""


class Rule(Protocol):
    """When a schedule fires: the same answers on every machine, whatever its time zone and settings."""

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time strictly after `instant`, or None if there is none."""

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last fire time strictly before `instant`, or None if there is none."""

    def matches(self, instant: datetime) -> bool:
        """Whether `instant` is a fire time."""


@dataclass(frozen=True, slots=True)
class Once:
    """Fires at one instant: a clocked schedule."""

    at: datetime

    def next_after(self, instant: datetime) -> datetime | None:
        """The instant, while it lies ahead."""
        return self.at if self.at > instant else None

    def previous_before(self, instant: datetime) -> datetime | None:
        """The instant, once it lies behind."""
        return self.at if self.at < instant else None

    def matches(self, instant: datetime) -> bool:
        """Whether it is the one."""
        return instant == self.at


@dataclass(frozen=True, slots=True)
class Bounded:
    """A rule inside `start` (inclusive) and `end` (exclusive); None leaves that side open."""

    rule: Rule
    start: datetime | None = None
    end: datetime | None = None

    def next_after(self, instant: datetime) -> datetime | None:
        """The rule's next fire time inside the bounds."""
        if self.start is not None and instant < self.start:
            instant = self.start - TICK
        return self._inside(self.rule.next_after(instant))

    def previous_before(self, instant: datetime) -> datetime | None:
        """The rule's previous fire time inside the bounds."""
        if self.end is not None and instant > self.end:
            instant = self.end
        return self._inside(self.rule.previous_before(instant))

    def matches(self, instant: datetime) -> bool:
        """Whether the rule fires there, and it lies inside."""
        return self._inside(instant) is not None and self.rule.matches(instant)

    def _inside(self, fire_time: datetime | None) -> datetime | None:
        if fire_time is None or (self.end is not None and fire_time >= self.end):
            return None
        return None if self.start is not None and fire_time < self.start else fire_time


def fire_times(rule: Rule, after: datetime, until: datetime) -> Iterator[datetime]:
    """The fire times in (after, until], in order."""
    fire_time = rule.next_after(after)
    while fire_time is not None and fire_time <= until:
        yield fire_time
        fire_time = rule.next_after(fire_time)
