"""A rule that rests on some dates: holidays, closing days. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from schedules.timing.rule import TICK, Rule
from schedules.timing.wall_clock import once_of, wall_of

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Excluding:
    """`rule` without its fire times on `dates`, which are days in `zone`."""

    rule: Rule
    dates: frozenset[date]
    zone: ZoneInfo

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time after `instant` on a day that is not excluded."""
        fire_time = self.rule.next_after(instant)
        while fire_time is not None and self.excludes(fire_time):
            # Midnight may lie behind: clocks set back across it bring a day back.
            midnight = self._midnight(self._day_of(fire_time) + _DAY)
            fire_time = self.rule.next_after(max(fire_time, midnight - TICK))
        return fire_time

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last fire time before `instant` on a day that is not excluded."""
        fire_time = self.rule.previous_before(instant)
        while fire_time is not None and self.excludes(fire_time):
            fire_time = self.rule.previous_before(self._midnight(self._day_of(fire_time)))
        return fire_time

    def matches(self, instant: datetime) -> bool:
        """Whether the rule fires there, on a day that is not excluded."""
        return not self.excludes(instant) and self.rule.matches(instant)

    def excludes(self, instant: datetime) -> bool:
        """Whether `instant` lies on an excluded day."""
        return self._day_of(instant) in self.dates

    def _day_of(self, instant: datetime) -> date:
        return wall_of(instant, self.zone).date()

    def _midnight(self, day: date) -> datetime:
        return once_of(datetime.combine(day, time()), self.zone)
