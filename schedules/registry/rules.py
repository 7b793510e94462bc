"""A file's `every`, `crontab`, `at` or `solar` as a rule row of django-celery-beat; equal rows are used again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db import models
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from schedules.registry.faults import CRONTAB_FIELDS, crontab_faults, solar_faults
from schedules.registry.fields import Entry
from schedules.registry.problems import Problems, by_field
from schedules.rules import rule_of, zone_named
from schedules.timing.rule import InvalidRule

KINDS = ("interval", "crontab", "clocked", "solar")
RULE_FIELDS = ("every", "crontab", "at", "solar")
# Which of them each of the other fields belongs to.
_BELONG = {"timezone": "crontab", "latitude": "solar", "longitude": "solar"}
_NAMES = {"timezone": "zone", "latitude": "place", "longitude": "place"}
_EVERY = re.compile(r"(?:(\d{1,12}) +)?(day|hour|minute|second|millisecond|microsecond)s?")


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
        problems.add(entry.line, entry.name, f"{have}: give exactly one of every, crontab, at and solar")
        return None
    (field,) = named
    for other in [name for name, owner in _BELONG.items() if owner != field and name in entry.fields]:
        text = f"only a {_BELONG[other]} rule has a {_NAMES[other]}: remove it"
        problems.add(entry.line_of(other), entry.place(other), text)
    try:
        rule = {"every": _interval, "crontab": _crontab, "at": _clocked, "solar": _solar}[field](entry)
        # What a crontab's fields may hold is said by the rule; an equal row that is stored is used again.
        rule_of(PeriodicTask(**{rule.kind: rule.unstored()}))
        rule.unstored().full_clean(exclude=CRONTAB_FIELDS, validate_unique=False)
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
    return RuleRow("interval", "every", IntervalSchedule, {"every": number, "period": period})


def _crontab(entry: Entry) -> RuleRow:
    zone = entry.get("timezone", "UTC")
    parts = entry.get("crontab").split()
    if len(parts) != len(CRONTAB_FIELDS):
        raise InvalidRule(
            f"{entry.get('crontab')!r} has {len(parts)} fields: a crontab has 5 (minute, hour, day of month, month, "
            'day of week), as in "0 6 * * *"'
        )
    values = dict(zip(CRONTAB_FIELDS, parts, strict=True))
    unknown = _unknown_zone(zone)
    faults = {**crontab_faults(values, ZoneInfo("UTC" if unknown else zone)), "timezone": unknown}
    if found := {name: [fault] for name, fault in faults.items() if fault}:
        raise ValidationError(found)
    return RuleRow("crontab", "crontab", CrontabSchedule, {**values, "timezone": zone})


def _unknown_zone(name: str) -> str:
    try:
        zone_named(name)
    except InvalidRule as error:
        return str(error)
    return ""


def _clocked(entry: Entry) -> RuleRow:
    return RuleRow("clocked", "at", ClockedSchedule, {"clocked_time": entry.get("at")})


def _solar(entry: Entry) -> RuleRow:
    missing = [name for name in ("latitude", "longitude") if name not in entry.fields]
    if missing:
        raise InvalidRule(f"its place is missing: give {' and '.join(missing)} in degrees, as in latitude: 52.52")
    event = entry.get("solar").lower().replace(" ", "_")
    place = {name: entry.get(name) for name in ("latitude", "longitude")}
    if faults := solar_faults(event, **place):
        raise ValidationError({name: [fault] for name, fault in faults.items()})
    return RuleRow("solar", "solar", SolarSchedule, {"event": event, **place})


def _note(entry: Entry, field: str, error: ValidationError, problems: Problems) -> None:
    for name, texts in by_field(error).items():
        at = name if name in _BELONG else field
        for text in texts:
            problems.add(entry.line_of(at), entry.place(at), text)
