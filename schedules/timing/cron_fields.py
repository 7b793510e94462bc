"""The fields of a crontab as celery takes them: names, lists, steps, ranges, also around the end (`fri-mon`). Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from schedules.timing.rule import InvalidRule


class FieldSpec(NamedTuple):
    """What a field may hold; with a `modulus` its highest number is another name for its lowest (Sunday as 7)."""

    label: str
    lowest: int
    highest: int
    names: tuple[str, ...] = ()
    modulus: int | None = None


class CronField(NamedTuple):
    """A field that has been read: its numbers in order, and whether it was written with a star first."""

    numbers: tuple[int, ...]
    starred: bool


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")

SECOND = FieldSpec("seconds", 0, 59)
MINUTE = FieldSpec("minute", 0, 59)
HOUR = FieldSpec("hour", 0, 23)
DAY = FieldSpec("day of month", 1, 31)
MONTH = FieldSpec("month", 1, 12, _MONTHS)
WEEKDAY = FieldSpec("day of week", 0, 7, WEEKDAYS, modulus=7)


@lru_cache(maxsize=4096)
def read_field(spec: FieldSpec, text: str) -> CronField:
    """Reads one field. Raises InvalidRule, with the field, its text and the remedy."""
    parts = [part.strip() for part in text.lower().split(",")]
    numbers = sorted({number for part in parts for number in _expand(spec, text, part)})
    return CronField(tuple(numbers), parts[0].startswith("*"))


def _expand(spec: FieldSpec, text: str, part: str) -> list[int]:
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


def _span(spec: FieldSpec, start: int, end: int) -> list[int]:
    """From start to end, around the end of the field where end lies before start (`fri-mon`, `22-2`)."""
    if spec.modulus is not None:
        length = end - start if end >= start else end - start + spec.modulus
        return [(start + offset) % spec.modulus for offset in range(length + 1)]
    if end >= start:
        return list(range(start, end + 1))
    return [*range(start, spec.highest + 1), *range(spec.lowest, end + 1)]


def _number(spec: FieldSpec, text: str, word: str) -> int:
    if word in spec.names:
        number = spec.names.index(word) + spec.lowest
    elif word.isascii() and word.isdigit():
        number = int(word)
    else:
        raise _unreadable(spec, text, f"{word!r} is not a number{' or a name' if spec.names else ''}")
    if not spec.lowest <= number <= spec.highest:
        raise _unreadable(spec, text, f"{number} is outside {spec.lowest}-{spec.highest}")
    return number


def _step(spec: FieldSpec, text: str, word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise _unreadable(spec, text, f"step {word!r} is not a whole number above 0")
    return int(word)


def _unreadable(spec: FieldSpec, text: str, why: str) -> InvalidRule:
    return InvalidRule(f"{spec.label} {text!r} cannot be read: {why}")
