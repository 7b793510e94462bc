"""Days that crontabs cannot name: the last day of the month, its last weekday, its second Tuesday. Pure."""

from __future__ import annotations

import calendar
from dataclasses import dataclass

from schedules.timing.cron_fields import WEEKDAYS
from schedules.timing.rule import InvalidRule

_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "last")
_LAST = len(_ORDINALS) - 1
_FORMS = "'last day', 'last weekday', '2nd tue' or 'last fri'"


@dataclass(frozen=True, slots=True)
class MonthDay:
    """One day of each month that has it: the `ordinal`-th (5: the last) of the days in `weekdays` (0 is Sunday)."""

    ordinal: int
    weekdays: frozenset[int]

    def day_of(self, year: int, month: int) -> int | None:
        """The day, or None where the month has no such day (a fifth Friday)."""
        first, length = calendar.monthrange(year, month)
        days = [day for day in range(1, length + 1) if (first + day) % 7 in self.weekdays]
        if self.ordinal == _LAST:
            return days[-1]
        return days[self.ordinal] if self.ordinal < len(days) else None


def read_month_day(text: str) -> MonthDay:
    """Reads `last day`, `last weekday` (Monday to Friday), `2nd tue`, `last fri`. Raises InvalidRule."""
    words = text.lower().split()
    if len(words) != 2 or words[0] not in _ORDINALS:
        raise _unreadable(text)
    ordinal = _ORDINALS.index(words[0])
    if words[1] in WEEKDAYS:
        return MonthDay(ordinal, frozenset({WEEKDAYS.index(words[1])}))
    if ordinal != _LAST or words[1] not in ("day", "weekday"):
        raise _unreadable(text)
    return MonthDay(ordinal, frozenset(range(7)) if words[1] == "day" else frozenset(range(1, 6)))


def _unreadable(text: str) -> InvalidRule:
    return InvalidRule(f"day {text!r} cannot be read: write {_FORMS}")
