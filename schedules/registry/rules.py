"""A file's `every`, `crontab` or `at` as a rule row of django-celery-beat; equal rows are used again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.db import models
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask

from schedules.definitions import rule_of
from schedules.registry.fields import Entry
from schedules.registry.problems import Problems, by_field
from schedules.timing.rule import InvalidRule

KINDS = ("interval", "crontab", "clocked", "solar")
RULE_FIELDS = ("every", "crontab", "at")
_EVERY = re.compile(r"(?:(\d{1,12}) +)?(day|hour|minute|second|millisecond|microsecond)s?")
_CRONTAB_FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
_LONGEST_DAYS = 36_500
_A_DAY_HAS = {"days": 1, "hours": 24, "minutes": 1440, "seconds": 86_400, "microseconds": 86_400_000_000}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule that may not be stored yet: its kind, the field of the file it came from, and what identifies it."""

    kind: str
    field: str
    model: type[models.Model]
    values: Mapping[str, Any]

    def stored(self) -> models.Model:
        """The row in the database, an equal one if there is one."""
        manager = self.model._default_manager
        return manager.filter(**self.values).order_by("pk").first() or manager.create(**self.values)

    def unstored(self) -> models.Model:
        """A row to validate with."""
        return self.model(**self.values)

    def equals(self, row: models.Model | None) -> bool:
        """Whether a stored row says the same."""
        return row is not None and all(str(getattr(row, name)) == str(value) for name, value in self.values.items())


def read_rule(entry: Entry, problems: Problems) -> RuleRow | None:
    """The entry's rule; None, with the reason noted, when it has none, several, or one that can never fire."""
    named = [field for field in RULE_FIELDS if field in entry.fields]
    if len(named) != 1:
        have = f"it has {' and '.join(named)}" if named else "it has no rule"
        problems.add(entry.line, entry.name, f"{have}: give exactly one of every, crontab and at")
        return None
    (field,) = named
    if field != "crontab" and "timezone" in entry.fields:
        problems.add(entry.line_of("timezone"), entry.place("timezone"), "only a crontab has a zone: remove it")
    try:
        rule = {"every": _interval, "crontab": _crontab, "at": _clocked}[field](entry)
        rule.unstored().full_clean()
        rule_of(PeriodicTask(**{rule.kind: rule.unstored()}))
    except InvalidRule as error:
        problems.add(entry.line_of(field), entry.place(field), str(error))
    except ValidationError as error:
        _note(entry, field, error, problems)
    else:
        return rule
    return None


def _interval(entry: Entry) -> RuleRow:
    text = entry.get("every")
    found = _EVERY.fullmatch(text.lower())
    if not found:
        raise InvalidRule(f'{text!r} is no interval: write it as in "2 seconds", "5 minutes" or "1 day"')
    number, period = int(found[1] or 1), found[2] + "s"
    if period == "milliseconds":
        number, period = number * 1000, "microseconds"
    if number > _LONGEST_DAYS * _A_DAY_HAS[period]:
        raise InvalidRule(f"{text!r} is too long: an interval has at most {_LONGEST_DAYS} days")
    return RuleRow("interval", "every", IntervalSchedule, {"every": number, "period": period})


def _crontab(entry: Entry) -> RuleRow:
    zone = entry.get("timezone", "UTC")
    if not _is_zone(zone):
        raise ValidationError({"timezone": [f"{zone!r} is no known zone"]})
    parts = entry.get("crontab").split()
    if len(parts) != len(_CRONTAB_FIELDS):
        raise InvalidRule(
            f"{entry.get('crontab')!r} has {len(parts)} fields: a crontab has 5 (minute, hour, day of month, month, "
            'day of week), as in "0 6 * * *"'
        )
    values = dict(zip(_CRONTAB_FIELDS, parts, strict=True))
    return RuleRow("crontab", "crontab", CrontabSchedule, {**values, "timezone": zone})


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _clocked(entry: Entry) -> RuleRow:
    return RuleRow("clocked", "at", ClockedSchedule, {"clocked_time": entry.get("at")})


def _note(entry: Entry, field: str, error: ValidationError, problems: Problems) -> None:
    for name, texts in by_field(error).items():
        at = name if name == "timezone" else field
        lead = f"{name.replace('_', ' ')}: " if name in _CRONTAB_FIELDS else ""
        tail = ": name a zone such as Europe/Moscow" if name == "timezone" else ""
        for text in texts:
            problems.add(entry.line_of(at), entry.place(at), f"{lead}{text.rstrip('.')}{tail}")
