"""Rules as tests write them, and a slow oracle that finds a crontab's fire times by walking every minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from schedules.timing.crontab import Crontab
from schedules.timing.rule import Rule

_MINUTE = timedelta(minutes=1)


def utc(text: str) -> datetime:
    """An instant from ISO text; without an offset it is UTC."""
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def utcs(*texts: str) -> list[datetime]:
    """`utc` of each."""
    return [utc(text) for text in texts]


def cron(expression: str, zone: str = "UTC") -> Crontab:
    """A crontab from the usual five fields: minute, hour, day of month, month, day of week."""
    minute, hour, day, month, weekday = expression.split()
    return Crontab(minute, hour, day, month, weekday, ZoneInfo(zone))


def take(rule: Rule, after: datetime, count: int) -> list[datetime]:
    """The next `count` fire times; fewer if the rule ends."""
    found: list[datetime] = []
    while len(found) < count and (fire_time := rule.next_after(found[-1] if found else after)) is not None:
        found.append(fire_time)
    return found


def between(rule: Rule, after: datetime, until: datetime) -> list[datetime]:
    """The fire times in (after, until], each found from the one before."""
    found: list[datetime] = []
    while (fire_time := rule.next_after(found[-1] if found else after)) is not None and fire_time <= until:
        found.append(fire_time)
    return found


@dataclass(frozen=True)
class Spelled:
    """A crontab as sets of numbers beside its text, so that the oracle need not read the text."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    weekdays: frozenset[int]
    fixed_hour: bool

    def matches(self, local: datetime) -> bool:
        """Whether the wall clock shows a fire time."""
        weekday = local.isoweekday() % 7
        return local.minute in self.minutes and local.hour in self.hours and weekday in self.weekdays


def oracle(spelled: Spelled, zone: ZoneInfo, start: datetime, end: datetime) -> Sequence[datetime]:
    """The fire times in [start, end]: a wildcard hour on every matching wall clock; a fixed hour once for each local
    date and time, on the first pass of a repeated hour and at the end of a skipped one.
    """
    if spelled.fixed_hour:
        found = {_instant(local, zone) for local in _walls(start, end, zone) if spelled.matches(local)}
        return sorted(instant for instant in found if start <= instant <= end)
    minutes = (start + n * _MINUTE for n in range((end - start) // _MINUTE + 1))
    return [instant for instant in minutes if spelled.matches(instant.astimezone(zone))]


def _walls(start: datetime, end: datetime, zone: ZoneInfo) -> list[datetime]:
    """Every minute that a clock on the wall could show, also those that a change skips."""
    first = start.astimezone(zone).replace(tzinfo=None) - timedelta(hours=3)
    last = end.astimezone(zone).replace(tzinfo=None) + timedelta(hours=3)
    return [first + n * _MINUTE for n in range((last - first) // _MINUTE + 1)]


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the wall shows `wall`, or the end of the gap in which it lies."""
    while True:
        instant = wall.replace(tzinfo=zone).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None) == wall:
            return instant
        wall += _MINUTE


def first_after(rule: Rule, instant: datetime) -> datetime:
    """The next fire time of a rule that has one."""
    found = rule.next_after(instant)
    assert found is not None
    return found
