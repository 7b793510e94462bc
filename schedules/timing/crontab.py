"""Crontabs with celery's field meaning and Debian cron's rules for skipped and repeated hours. Pure.

A fixed hour fires once for each date: on the first pass of a repeated hour, and at the end of a skipped one. An hour
written with a star fires at each matching time that the clock shows. Day of month and day of week are joined by AND,
as celery does (cron says OR).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from schedules.timing.cron_calendar import CronCalendar, Days
from schedules.timing.cron_fields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, read_field
from schedules.timing.month_day import read_month_day
from schedules.timing.rule import TICK, InvalidRule
from schedules.timing.wall_clock import end_of_gap, fold_around, gap_around, is_plain, passes_of, wall_of

_UTC = ZoneInfo("UTC")
_SPECS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
_ANY_START = datetime(2024, 1, 1)  # noqa: DTZ001 a wall time


@dataclass(frozen=True, slots=True)
class Crontab:
    """A crontab in a zone; `seconds` is a field like the others, `month_day` names a day as in `last fri`.

    Raises InvalidRule for a field that cannot be read and a date that never comes.
    """

    minute: str = "*"
    hour: str = "*"
    day_of_month: str = "*"
    month_of_year: str = "*"
    day_of_week: str = "*"
    zone: ZoneInfo = _UTC
    seconds: str = "0"
    month_day: str = ""
    _calendar: CronCalendar = field(init=False, compare=False, repr=False)
    _every_pass: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        texts = (self.seconds, self.minute, self.hour, self.day_of_month, self.month_of_year, self.day_of_week)
        walls, every_pass = _read(texts, self.month_day)
        object.__setattr__(self, "_calendar", walls)
        object.__setattr__(self, "_every_pass", every_pass)
        if walls is None:
            raise InvalidRule(f"{self} never comes: no month has such a day")

    def __str__(self) -> str:
        fields = [self.minute, self.hour, self.day_of_month, self.month_of_year, self.day_of_week]
        if self.seconds != "0":
            fields.insert(0, self.seconds)
        return f"{' '.join(fields)}{f' {self.month_day}' if self.month_day else ''} ({self.zone.key})"

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time after `instant`; None when no such date comes within 41 years."""
        wall = wall_of(instant, self.zone)
        if not is_plain(wall, self.zone):
            return self._next_inside_a_fold(instant, wall)
        return self._first_at(self._calendar.after(wall))

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last fire time before `instant`; None when no such date came within 41 years."""
        wall = wall_of(instant, self.zone)
        if not is_plain(wall, self.zone):
            return self._previous_inside_a_fold(instant, wall)
        return self._last_at(self._calendar.before(wall), instant)

    def matches(self, instant: datetime) -> bool:
        """Whether `instant` is a fire time."""
        return self.next_after(instant - TICK) == instant

    def _first_at(self, shown: datetime | None) -> datetime | None:
        """The first instant for a wall time that was looked for forwards, from before it."""
        if shown is None:
            return None
        if passes := passes_of(shown, self.zone):
            return passes[0]
        if not self._every_pass:
            return end_of_gap(shown, self.zone)
        _, shown_again = gap_around(shown, self.zone)
        return self._first_at(self._calendar.after(shown_again - TICK))

    def _last_at(self, shown: datetime | None, instant: datetime) -> datetime | None:
        """The last instant before `instant` for a wall time that was looked for backwards, from behind it."""
        if shown is None:
            return None
        if passes := passes_of(shown, self.zone):
            return passes[-1] if self._every_pass else passes[0]
        if not self._every_pass and (moved := end_of_gap(shown, self.zone)) < instant:
            return moved
        skipped, _ = gap_around(shown, self.zone)
        return self._last_at(self._calendar.before(skipped), instant)

    def _next_inside_a_fold(self, instant: datetime, wall: datetime) -> datetime | None:
        begin, end = fold_around(wall, self.zone)
        on_first_pass = instant == passes_of(wall, self.zone)[0]
        shown = self._calendar.after(wall)
        if on_first_pass and shown is not None and shown < end:
            return passes_of(shown, self.zone)[0]
        if not self._every_pass:
            return self._first_at(self._calendar.after(end - TICK))
        if on_first_pass:
            shown = self._calendar.after(begin - TICK)
        if shown is not None and shown < end:
            return passes_of(shown, self.zone)[1]
        return self._first_at(shown)

    def _previous_inside_a_fold(self, instant: datetime, wall: datetime) -> datetime | None:
        begin, end = fold_around(wall, self.zone)
        shown = self._calendar.before(wall)
        if instant != passes_of(wall, self.zone)[0]:
            if self._every_pass and shown is not None and shown >= begin:
                return passes_of(shown, self.zone)[1]
            shown = self._calendar.before(end)
        if shown is not None and shown >= begin:
            return passes_of(shown, self.zone)[0]
        return self._last_at(shown, instant)


@lru_cache(maxsize=16_384)
def _read(texts: tuple[str, ...], month_day: str) -> tuple[CronCalendar | None, bool]:
    """The wall times the texts name, None if there are none, and whether the hour was written with a star.

    Thousands of schedules share a few hundred texts.
    """
    seconds, minutes, hours, numbers, months, weekdays = map(read_field, _SPECS, texts)
    named = read_month_day(month_day) if month_day else None
    days = Days(frozenset(numbers.numbers), frozenset(weekdays.numbers), named)
    walls = CronCalendar(seconds.numbers, minutes.numbers, hours.numbers, months.numbers, days)
    return walls if walls.after(_ANY_START) else None, hours.starred
