"""A crontab from one line of text: five fields, or six with the seconds first. Pure."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from schedules.timing.crontab import Crontab
from schedules.timing.rule import InvalidRule

_FIELDS = 5


def read_expression(text: str, zone: ZoneInfo, month_day: str = "") -> Crontab:
    """The rule of `*/15 9-17 * * mon-fri` in `zone`, if given only on `month_day`. Raises InvalidRule."""
    fields = text.split()
    if len(fields) not in (_FIELDS, _FIELDS + 1):
        count = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        raise InvalidRule(
            f"{text!r} has {count}: a crontab has 5 (minute, hour, day of month, month, day of week) or 6 with the "
            'seconds first, as in "*/15 9-17 * * mon-fri"'
        )
    seconds = fields[0] if len(fields) > _FIELDS else "0"
    minute, hour, day, month, weekday = fields[-_FIELDS:]
    return Crontab(minute, hour, day, month, weekday, zone, seconds, month_day)
