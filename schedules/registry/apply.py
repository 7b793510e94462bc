"""Applying a file: read, compare with what is stored, validate, and write what differs, all in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.db import connection, transaction
from django_celery_beat.models import PeriodicTask

from schedules.models import Calendar
from schedules.registry.calendars import CalendarEdit, read_calendars, store_calendar
from schedules.registry.changes import Change, change_of
from schedules.registry.fields import read_entries, read_top
from schedules.registry.problems import Problems, RegistryRefused

# Two appliers at once would both find a name missing and create it; any number serves, it is ours alone.
_LOCK = 7_310_115_108


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done, or would be in a dry run: names of new schedules, fields of changed ones; calendars likewise."""

    created: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    unchanged: tuple[str, ...]


def apply(path: Path, *, dry_run: bool = False) -> Applied:
    """Upserts the file's calendars and schedules by name; those it does not name are left alone.

    Raises RegistryRefused, with every problem and nothing applied, and OSError when the file cannot be read.
    """
    problems = Problems()
    top = read_top(path, problems)
    entries, calendars = read_entries(top, problems), read_calendars(top, problems)
    with transaction.atomic():
        _lock()
        # Written first, so that the schedules are judged with the dates they will rest on.
        edits = [store_calendar(name, dates) for name, dates in calendars.items()]
        stored = _stored([entry.name for entry in entries])
        known = {calendar.name: calendar for calendar in Calendar.objects.all()}
        found = [change_of(entry, stored.get(entry.name), known, problems) for entry in entries]
        if problems.found:
            raise RegistryRefused(path, problems.found)
        changes = [change for change in found if change is not None]
        applied = _summary(edits, changes)
        if not dry_run:
            for change in changes:
                change.save()
        transaction.set_rollback(dry_run)
    return applied


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _stored(names: list[str]) -> dict[str, PeriodicTask]:
    rows = PeriodicTask.objects.select_for_update(of=("self",)).filter(name__in=names)
    related = ("interval", "crontab", "clocked", "solar", "slotbeat__calendar")
    return {row.name: row for row in rows.select_related(*related)}


def _summary(edits: list[CalendarEdit], changes: list[Change]) -> Applied:
    return Applied(
        created=(
            *(edit.title for edit in edits if edit.is_new),
            *(change.row.name for change in changes if change.is_new),
        ),
        changed={
            **{edit.title: edit.told for edit in edits if edit.is_change},
            **{
                change.row.name: (*change.row_fields, *(f"options.{name}" for name in change.option_fields))
                for change in changes
                if change.is_change
            },
        },
        unchanged=(
            *(edit.title for edit in edits if not edit.is_new and not edit.is_change),
            *(change.row.name for change in changes if not change.is_new and not change.is_change),
        ),
    )
