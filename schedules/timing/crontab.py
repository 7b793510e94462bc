"""Crontabs with celery's field meaning and Debian cron's rules for skipped and repeated hours. Pure.

The fields are translated for `cronsim`, which knows the clock changes: numbers are spelled out, a star stays a star
(a wildcard hour runs on both passes of a repeated hour, a fixed one only on the first). Where day of month and day
of week are both restricted celery joins them with AND, cron with OR: here the week days filter what the rest yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from schedules.timing.rule import InvalidRule

# A date such as 29 February on a Monday comes once in 28 years, and once in 40 around 2100.
_LONGEST_WAIT_YEARS = 41
# No zone puts its clocks back by more.
_REPEAT = timedelta(hours=2)


class _Field(NamedTuple):
    label: str
    lowest: int
    highest: int
    names: tuple[str, ...] = ()
    modulus: int | None = None


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MINUTE = _Field("minute", 0, 59)
_HOUR = _Field("hour", 0, 23)
_DAY = _Field("day of month", 1, 31)
_MONTH = _Field("month", 1, 12, _MONTHS)
_WEEKDAY = _Field("day of week", 0, 7, _WEEKDAYS, modulus=7)


@dataclass(frozen=True, slots=True)
class Crontab:
    """A crontab in a zone; field texts as celery takes them: names, lists, ranges (also `fri-mon`), steps.

    Raises InvalidRule for a field that cannot be read, a zone that is not known and a date that never comes.
    """

    minute: str = "*"
    hour: str = "*"
    day_of_month: str = "*"
    month_of_year: str = "*"
    day_of_week: str = "*"
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    _expression: str = field(init=False, compare=False, repr=False)
    _weekdays: frozenset[int] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        days, weekdays = _translate(_DAY, self.day_of_month), _translate(_WEEKDAY, self.day_of_week)
        both = not days.startswith("*") and not weekdays.startswith("*")
        hours = _translate(_HOUR, self.hour)
        fields = [
            _translate(_MINUTE, self.minute, keep_stars=hours.startswith("*")),
            hours,
            days,
            _translate(_MONTH, self.month_of_year),
            "*" if both else weekdays,
        ]
        object.__setattr__(self, "_expression", " ".join(fields))
        object.__setattr__(self, "_weekdays", frozenset(map(int, weekdays.split(","))) if both else None)
        if not self._ever_comes():
            raise InvalidRule(f"{self} never comes: no month has such a day")

    def __str__(self) -> str:
        fields = (self.minute, self.hour, self.day_of_month, self.month_of_year, self.day_of_week)
        return f"{' '.join(fields)} ({self.zone.key})"

    def _ever_comes(self) -> bool:
        try:
            return self.next_after(datetime(2024, 1, 1, tzinfo=UTC)) is not None
        except CronSimError:
            return False

    def next_after(self, instant: datetime) -> datetime | None:
        """The first fire time after `instant`; None when no such date comes within 41 years."""
        local = instant.astimezone(self.zone)
        if self._expression.split()[1].startswith("*"):
            return self._next_on_any_pass(local)
        walk = CronSim(self._expression, local)
        # Asked on the second pass of a repeated hour, cronsim names first passes that lie behind.
        found = (fire_time.astimezone(UTC) for fire_time in self._on_their_days(walk, local))
        return next((fire_time for fire_time in found if fire_time > instant), None)

    def _next_on_any_pass(self, local: datetime) -> datetime | None:
        """A wildcard hour: each matching wall clock, as often as it is shown. cronsim walks clocks without changes."""
        wall = local.replace(tzinfo=None)
        shift = _REPEAT if _changes_near(local) else timedelta(0)
        best: datetime | None = None
        for shown in self._on_their_days(CronSim(self._expression, wall - shift), local):
            ahead = [found for found in _instants(shown, self.zone) if found > local]
            best = min([*ahead, *([best] if best else [])], default=None)
            if best is not None and shown >= wall + shift:
                break
        return best

    def _on_their_days(self, walk: Iterator[datetime], local: datetime) -> Iterator[datetime]:
        for fire_time in walk:
            if fire_time.year > local.year + _LONGEST_WAIT_YEARS:
                return
            if self._weekdays is None or fire_time.isoweekday() % 7 in self._weekdays:
                yield fire_time


def _changes_near(local: datetime) -> bool:
    """Whether clocks change so near that a wall clock already shown may come again."""
    around = {(local.astimezone(UTC) + side).astimezone(local.tzinfo).utcoffset() for side in (-_REPEAT, _REPEAT)}
    return around != {local.utcoffset()}


def _instants(wall: datetime, zone: ZoneInfo) -> set[datetime]:
    """When a clock on the wall shows this: once, twice where an hour repeats, never in a gap."""
    passes = {wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return {instant for instant in passes if instant.astimezone(zone).replace(tzinfo=None) == wall}


def _translate(spec: _Field, text: str, *, keep_stars: bool = True) -> str:
    """One celery field as a cronsim field: stars kept, everything else spelled out in numbers.

    Under a fixed hour the minutes' stars are spelled out too: that hour runs on the first pass only.
    """
    parts = [part.strip() for part in text.lower().split(",")]
    stars = [part for part in parts if part.startswith("*")] if keep_stars else []
    numbers = sorted({number for part in parts for number in _expand(spec, text, part) if part not in stars})
    return ",".join([*stars, *map(str, numbers)])


def _expand(spec: _Field, text: str, part: str) -> list[int]:
    span, slash, step = part.partition("/")
    first, dash, last = span.partition("-")
    if span == "*":
        start, end = spec.lowest, spec.highest - (spec.modulus is not None)
    elif slash and not dash:
        remedy = f"as in {spec.lowest}-{spec.highest}/2"
        raise _unreadable(spec, text, f"a step needs a range or a star before it, {remedy}")
    else:
        start = _number(spec, text, first)
        end = _number(spec, text, last) if dash else start
    return _span(spec, start, end)[:: _step(spec, text, step) if slash else 1]


def _span(spec: _Field, start: int, end: int) -> list[int]:
    """From start to end, around the end of the field where end lies before start (`fri-mon`, `22-2`)."""
    if spec.modulus is not None:
        length = end - start if end >= start else end - start + spec.modulus
        return [(start + offset) % spec.modulus for offset in range(length + 1)]
    if end >= start:
        return list(range(start, end + 1))
    return [*range(start, spec.highest + 1), *range(spec.lowest, end + 1)]


def _number(spec: _Field, text: str, word: str) -> int:
    if word in spec.names:
        number = spec.names.index(word) + (0 if spec.lowest == 0 else 1)
    elif word.isascii() and word.isdigit():
        number = int(word)
    else:
        raise _unreadable(spec, text, f"{word!r} is not a number{' or a name' if spec.names else ''}")
    if not spec.lowest <= number <= spec.highest:
        raise _unreadable(spec, text, f"{number} is outside {spec.lowest}-{spec.highest}")
    return number


def _step(spec: _Field, text: str, word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise _unreadable(spec, text, f"step {word!r} is not a whole number above 0")
    return int(word)


def _unreadable(spec: _Field, text: str, why: str) -> InvalidRule:
    return InvalidRule(f"{spec.label} {text!r} cannot be read: {why}")
