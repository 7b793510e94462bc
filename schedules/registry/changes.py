"""What applying one entry of a file would change, validated by the rules that hold for every schedule."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django_celery_beat.models import PeriodicTask

from schedules.models import Calendar, ScheduleOptions
from schedules.registry.faults import option_faults
from schedules.registry.fields import Entry
from schedules.registry.problems import Problems, by_field
from schedules.registry.rules import KINDS, RuleRow, read_rule
from schedules.registry.yaml_lines import json_text
from schedules.stamp import Overlap
from schedules.timing.misfire import CatchUp
from schedules.validation import unknown_queue, unknown_task, validate

_OPTION_FIELDS = (
    *("catch_up", "catchup_window_seconds", "catchup_limit", "catchup_pace_seconds", "overlap", "lease_seconds"),
    *("seconds", "month_day", "ends_at", "max_runs", "calendar", "jitter_seconds", "interval_zone"),
)
_WORDS: dict[str, type[StrEnum]] = {"catch_up": CatchUp, "overlap": Overlap}
_FILE_FIELDS = {"expires": "end", "interval": "every", "clocked": "at"}


@dataclass(slots=True)
class Change:
    """A row and options as they would be, and the fields in which they differ from what is stored."""

    row: PeriodicTask
    options: ScheduleOptions
    rule: RuleRow
    row_fields: list[str] = field(default_factory=list)
    option_fields: list[str] = field(default_factory=list)

    @property
    def is_new(self) -> bool:
        """Whether no schedule has that name yet."""
        return self.row.pk is None

    @property
    def is_change(self) -> bool:
        """Whether a schedule of that name is different."""
        return not self.is_new and bool(self.row_fields or self.option_fields)

    def save(self) -> None:
        """Writes what differs, nothing when nothing does: an unchanged row's fire times go on as they were."""
        if self.is_new or self.rule.kind in self.row_fields:
            setattr(self.row, self.rule.kind, self.rule.stored())
        if self.is_new:
            self.row.save()
        elif self.row_fields:
            self.row.save(update_fields=[*self.row_fields, "last_run_at", "date_changed"])
        if self.options.pk is None or self.option_fields:
            self.options.periodic_task = self.row
            self.options.save()


def change_of(
    entry: Entry, row: PeriodicTask | None, calendars: Mapping[str, Calendar], problems: Problems
) -> Change | None:
    """The change that makes `row` (None: a new one) as the entry says; None, with problems noted, if it may not be."""
    known = len(problems.found)
    values = _row_values(entry, problems)
    rule = read_rule(entry, problems)
    _check_names(entry, problems)
    calendar = _calendar(entry, calendars, problems)
    if rule is None or len(problems.found) > known:
        return None
    row = row or PeriodicTask(name=entry.name)
    options = getattr(row, "slotbeat", None) or ScheduleOptions(periodic_task=row)
    change = Change(row, options, rule)
    change.row_fields = [*_set_values(row, values), *_set_rule(row, rule)]
    change.option_fields = _set_values(options, _option_values(entry) | {"calendar": calendar})
    _validate(change, entry, problems)
    return change if len(problems.found) == known else None


def _row_values(entry: Entry, problems: Problems) -> dict[str, Any]:
    """Fields left out have their default, so that the file is the whole truth; only `enabled` is a person's too."""
    values = {
        "description": entry.get("description", ""),
        "task": entry.get("task", ""),
        "queue": entry.get("queue") or None,
        "priority": entry.get("priority"),
        "expire_seconds": entry.get("expire_seconds"),
        "start_time": entry.get("start_time"),
        "expires": entry.get("end"),
        "one_off": entry.get("one_off", "at" in entry.fields),
    }
    for name, empty in (("args", []), ("kwargs", {})):
        values[name] = json_text(entry.get(name, empty), entry.line_of(name), entry.place(name), problems)
    return values | ({"enabled": entry.get("enabled")} if "enabled" in entry.fields else {})


def _option_values(entry: Entry) -> dict[str, Any]:
    defaults = ScheduleOptions()
    return {
        name: entry.options[name].value if name in entry.options else getattr(defaults, name) for name in _OPTION_FIELDS
    }


def _calendar(entry: Entry, calendars: Mapping[str, Calendar], problems: Problems) -> Calendar | None:
    wanted = entry.options.get("calendar")
    if wanted is None or not wanted.value:
        return None
    if wanted.value not in calendars:
        close = difflib.get_close_matches(wanted.value, calendars, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else "put it below `calendars:` in this file, or into the admin"
        problems.add(wanted.line, entry.place("options.calendar"), f"no calendar is named {wanted.value!r}: {remedy}")
    return calendars.get(wanted.value)


def _check_names(entry: Entry, problems: Problems) -> None:
    if "task" not in entry.fields:
        problems.add(entry.line, entry.place("task"), "it is missing: name the task to run, as in task: fan_out")
    elif problem := unknown_task(entry.get("task")):
        problems.add(entry.line_of("task"), entry.place("task"), problem)
    if problem := unknown_queue(entry.get("queue")):
        problems.add(entry.line_of("queue"), entry.place("queue"), problem)


def _set_values(target: PeriodicTask | ScheduleOptions, values: dict[str, Any]) -> list[str]:
    different = [name for name, value in values.items() if _differs(name, getattr(target, name), value)]
    for name in different:
        setattr(target, name, values[name])
    return different


def _set_rule(row: PeriodicTask, rule: RuleRow) -> list[str]:
    wrong = [kind for kind in KINDS if kind != rule.kind and getattr(row, f"{kind}_id") is not None]
    if not rule.equals(getattr(row, rule.kind)):
        setattr(row, rule.kind, rule.unstored())
        wrong.append(rule.kind)
    for kind in wrong:
        if kind != rule.kind:
            setattr(row, kind, None)
    return wrong


def _differs(name: str, stored: Any, wanted: Any) -> bool:
    if name in ("args", "kwargs"):
        try:
            stored = json.dumps(json.loads(stored), ensure_ascii=False, sort_keys=True)
        except ValueError:
            return True
        wanted = json.dumps(json.loads(wanted), ensure_ascii=False, sort_keys=True)
    return bool(stored != wanted)


def _validate(change: Change, entry: Entry, problems: Problems) -> None:
    known = len(problems.found)
    for prefix, check in (
        ("options.", lambda: change.options.full_clean(exclude=["periodic_task"])),
        ("", change.row.full_clean),
    ):
        _note_errors_of(check, prefix, change, entry, problems)
    if len(problems.found) > known:
        return
    faults = option_faults(change.row, change.options)
    for name, sentence in faults.items():
        place = f"options.{name}" if name else change.rule.field
        problems.add(entry.line_of(place), entry.place(place), sentence)
    if not faults:
        _note_errors_of(lambda: validate(change.row, change.options), "", change, entry, problems)


def _note_errors_of(check: Callable[[], None], prefix: str, change: Change, entry: Entry, problems: Problems) -> None:
    try:
        check()
    except ValidationError as error:
        _note(prefix, error, change, entry, problems)


def _note(prefix: str, error: ValidationError, change: Change, entry: Entry, problems: Problems) -> None:
    for name, texts in by_field(error).items():
        own = change.rule.field if name == NON_FIELD_ERRORS else prefix + _FILE_FIELDS.get(name, name)
        remedy = f" Use one of {', '.join(_WORDS[name])}." if name in _WORDS else ""
        for text in texts:
            problems.add(entry.line_of(own), entry.place("" if own == "name" else own), f"{text}{remedy}")
