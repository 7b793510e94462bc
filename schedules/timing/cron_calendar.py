"""Which wall times a crontab names, and the next and the previous one of them: no zone, no clock changes. Pure."""

from __future__ import annotations

import calendar
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from schedules.timing.month_day import MonthDay

# A date such as 29 February on a Monday comes once in 28 years, and once in 40 around 2100.
LONGEST_WAIT_YEARS = 41
_SECOND = timedelta(seconds=1)
Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Days:
    """Day of month AND day of week (0 is Sunday) AND, if given, one day of the month by name."""

    numbers: frozenset[int]
    weekdays: frozenset[int]
    month_day: MonthDay | None = None


@dataclass(frozen=True, slots=True)
class CronCalendar:
    """The wall times of a crontab; every field in order."""

    seconds: Numbers
    minutes: Numbers
    hours: Numbers
    months: Numbers
    days: Days

    def after(self, wall: datetime) -> datetime | None:
        """The first wall time strictly after `wall`; None when none comes within 41 years."""
        start = wall.replace(microsecond=0) + _SECOND
        if start.day in self._days_of(start.year, start.month):
            time = _first_from((self.hours, self.minutes, self.seconds), (start.hour, start.minute, start.second))
            if time is not None:
                return start.replace(hour=time[0], minute=time[1], second=time[2], microsecond=0)
        for year, month, days in self._months_from(start.year, start.month):
            later = days if (year, month) != (start.year, start.month) else days[bisect_right(days, start.day) :]
            if later:
                return datetime(year, month, later[0], self.hours[0], self.minutes[0], self.seconds[0])  # noqa: DTZ001 a wall time
        return None

    def before(self, wall: datetime) -> datetime | None:
        """The last wall time strictly before `wall`; None when none came within 41 years."""
        start = wall if wall.microsecond else wall - _SECOND
        if start.day in self._days_of(start.year, start.month):
            time = _last_to((self.hours, self.minutes, self.seconds), (start.hour, start.minute, start.second))
            if time is not None:
                return start.replace(hour=time[0], minute=time[1], second=time[2], microsecond=0)
        for year, month, days in self._months_to(start.year, start.month):
            earlier = days if (year, month) != (start.year, start.month) else days[: bisect_left(days, start.day)]
            if earlier:
                return datetime(year, month, earlier[-1], self.hours[-1], self.minutes[-1], self.seconds[-1])  # noqa: DTZ001 a wall time
        return None

    def _days_of(self, year: int, month: int) -> Numbers:
        return _days(self.days, year, month) if month in self.months else ()

    def _months_from(self, year: int, month: int) -> Iterator[tuple[int, int, Numbers]]:
        for later in range(year, min(year + LONGEST_WAIT_YEARS, 9999) + 1):
            for number in self.months:
                if later > year or number >= month:
                    yield later, number, _days(self.days, later, number)

    def _months_to(self, year: int, month: int) -> Iterator[tuple[int, int, Numbers]]:
        for earlier in range(year, max(year - LONGEST_WAIT_YEARS, 1) - 1, -1):
            for number in reversed(self.months):
                if earlier < year or number <= month:
                    yield earlier, number, _days(self.days, earlier, number)


@lru_cache(maxsize=8192)
def _days(days: Days, year: int, month: int) -> Numbers:
    first, length = calendar.monthrange(year, month)
    named = days.month_day.day_of(year, month) if days.month_day else None
    return tuple(
        day
        for day in range(1, length + 1)
        if day in days.numbers and (first + day) % 7 in days.weekdays and (days.month_day is None or day == named)
    )


def _first_from(fields: tuple[Numbers, ...], start: Numbers) -> Numbers | None:
    """The smallest combination of one number a field, compared from the left, that is not below `start`."""
    for place in range(len(fields), -1, -1):
        head = start[:place]
        if any(number not in fields[index] for index, number in enumerate(head)):
            continue
        if place == len(fields):
            return head
        rest = bisect_right(fields[place], start[place])
        if rest < len(fields[place]):
            return (*head, fields[place][rest], *(field[0] for field in fields[place + 1 :]))
    return None


def _last_to(fields: tuple[Numbers, ...], start: Numbers) -> Numbers | None:
    """The largest combination that is not above `start`."""
    for place in range(len(fields), -1, -1):
        head = start[:place]
        if any(number not in fields[index] for index, number in enumerate(head)):
            continue
        if place == len(fields):
            return head
        rest = bisect_left(fields[place], start[place])
        if rest:
            return (*head, fields[place][rest - 1], *(field[-1] for field in fields[place + 1 :]))
    return None
