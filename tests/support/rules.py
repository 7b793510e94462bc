"""Rules as tests write them, and walks along their fire times."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from schedules.timing.crontab import Crontab
from schedules.timing.rule import Rule


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


def first_after(rule: Rule, instant: datetime) -> datetime:
    """The next fire time of a rule that has one."""
    found = rule.next_after(instant)
    assert found is not None
    return found
