"""What every kind of rule answers, and the bounds that hold for all of them. Pure; instants are UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

TICK = timedelta(microseconds=1)


class InvalidRule(ValueError):
    """A rule that cannot fire; the message names the field, the value and the remedy."""


class Rule(Protocol):
    """When a schedule fires."""

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time strictly after `instant`, or None if there is none."""


@dataclass(frozen=True, slots=True)
class Once:
    """Fires at one instant: a clocked schedule."""

    at: datetime

    def next_after(self, instant: datetime) -> datetime | None:
        """The instant, while it lies ahead."""
        return self.at if self.at > instant else None


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
        fire_time = self.rule.next_after(instant)
        if fire_time is None or (self.end is not None and fire_time >= self.end):
            return None
        return fire_time


def fire_times(rule: Rule, after: datetime, until: datetime) -> Iterator[datetime]:
    """The fire times in (after, until], in order."""
    fire_time = rule.next_after(after)
    while fire_time is not None and fire_time <= until:
        yield fire_time
        fire_time = rule.next_after(fire_time)
