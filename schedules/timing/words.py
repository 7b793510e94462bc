"""Every kind of rule as a sentence: the same in the admin, the commands and the lists. Pure."""

from __future__ import annotations

from datetime import UTC, timedelta

from schedules.timing.cron_words import crontab_in_words
from schedules.timing.crontab import Crontab
from schedules.timing.exclusion import Excluding
from schedules.timing.interval import Interval, WallInterval
from schedules.timing.rule import Bounded, Once, Rule
from schedules.timing.solar import Solar
from schedules.timing.wall_clock import wall_of

_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
    ("second", timedelta(seconds=1)),
    ("millisecond", timedelta(milliseconds=1)),
    ("microsecond", timedelta(microseconds=1)),
)


def in_words(rule: Rule) -> str:
    """When the rule fires, for a reader; its start, its end and its excluded dates are left out."""
    while isinstance(rule, Bounded | Excluding):
        rule = rule.rule
    match rule:
        case Crontab():
            return crontab_in_words(rule)
        case Interval():
            return _interval(rule.every)
        case WallInterval():
            return f"{_interval(timedelta(days=rule.days))} at {_time_of(rule)} ({rule.zone.key})"
        case Once():
            return f"once at {rule.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        case Solar():
            return f"at {_event(rule.event)} at latitude {rule.latitude:g}, longitude {rule.longitude:g}"
        case _:
            return str(rule)


def _interval(every: timedelta) -> str:
    unit, length = next((unit, length) for unit, length in _UNITS if not every % length)
    count = every // length
    return f"every {unit}" if count == 1 else f"every {count} {unit}s"


def _time_of(rule: WallInterval) -> str:
    wall = wall_of(rule.anchor, rule.zone)
    return f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"


def _event(name: str) -> str:
    """`dawn_civil` is civil dawn."""
    first, _, second = name.partition("_")
    return f"{second} {first}" if first in ("dawn", "dusk") else name.replace("_", " ")
