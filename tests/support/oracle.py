"""A slow and plain oracle: it finds a crontab's fire times by a look at every minute that a clock shows or skips."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from schedules.timing.crontab import Crontab

_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Spelled:
    """A crontab as sets of numbers beside its text, so that the oracle need not read the text."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    weekdays: frozenset[int]
    fixed_hour: bool
    days: frozenset[int] = frozenset(range(1, 32))
    months: frozenset[int] = frozenset(range(1, 13))
    seconds_text: str = "0"
    seconds: frozenset[int] = frozenset({0})
    month_day: str = ""

    def rule(self, zone: str) -> Crontab:
        """The rule under test. Raises InvalidRule when no month has such a day."""
        minute, hour, day, month, weekday = self.text.split(" ")
        return Crontab(minute, hour, day, month, weekday, ZoneInfo(zone), self.seconds_text, self.month_day)

    def matches(self, local: datetime) -> bool:
        """Whether the wall clock shows a minute with fire times."""
        return (
            local.minute in self.minutes
            and local.hour in self.hours
            and local.day in self.days
            and local.month in self.months
            and local.isoweekday() % 7 in self.weekdays
            and (not self.month_day or is_month_day(self.month_day, local))
        )


def is_month_day(name: str, local: datetime) -> bool:
    """Whether the day is the one that `name` names, by looking at the days around it."""
    ordinal, kind = name.split()
    last_of_its_name = (local + 7 * _DAY).month != local.month
    days_left = [local + n * _DAY for n in range(1, 8) if (local + n * _DAY).month == local.month]
    if kind == "day":
        return not days_left
    if kind == "weekday":
        return local.isoweekday() <= 5 and all(day.isoweekday() > 5 for day in days_left)
    if f"{local:%a}".lower() != kind:
        return False
    return last_of_its_name if ordinal == "last" else (local.day - 1) // 7 + 1 == int(ordinal[0])


class _Wall(NamedTuple):
    """A minute on the wall, the instant that stands for it, and whether a clock ever shows it."""

    shown: datetime
    instant: datetime
    exists: bool


def oracle(spelled: Spelled, zone: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """The fire times in [start, end], both whole minutes.

    A wildcard hour fires on every matching wall clock; a fixed hour once for each local date and time, on the first
    pass of a repeated hour and at the end of a skipped one.
    """
    if spelled.fixed_hour:
        walls = [_standing_for(named, zone) for named in _named(zone, start, end) if spelled.matches(named)]
    else:
        walls = [wall for wall in _shown(zone, start, end) if spelled.matches(wall.shown)]
    seconds = [timedelta(seconds=second) for second in sorted(spelled.seconds)]
    found = {wall.instant + second for wall in walls for second in (seconds if wall.exists else [timedelta(0)])}
    return sorted(instant for instant in found if start <= instant <= end)


@lru_cache(maxsize=8)
def _shown(zone: ZoneInfo, start: datetime, end: datetime) -> list[_Wall]:
    """What the clock shows, minute by minute: a repeated hour twice, a skipped one not at all."""
    instants = (start + n * _MINUTE for n in range((end - start) // _MINUTE + 1))
    return [_Wall(instant.astimezone(zone).replace(tzinfo=None), instant, exists=True) for instant in instants]


@lru_cache(maxsize=8)
def _named(zone: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """Every minute that a person could name, once: also those that the clock skips."""
    first = start.astimezone(zone).replace(tzinfo=None) - timedelta(hours=4)
    last = end.astimezone(zone).replace(tzinfo=None) + timedelta(hours=4)
    return [first + n * _MINUTE for n in range((last - first) // _MINUTE + 1)]


def _standing_for(named: datetime, zone: ZoneInfo) -> _Wall:
    """The first instant at which the clock shows it, or else the first minute that the clock shows after it."""
    shown = named
    while True:
        instant = shown.replace(tzinfo=zone).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None) == shown:
            return _Wall(named, instant, exists=shown == named)
        shown += _MINUTE
