"""Applying a file: read, compare with what is stored, validate, and write what differs, all in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.db import connection, transaction
from django_celery_beat.models import PeriodicTask

from schedules.registry.changes import Change, change_of
from schedules.registry.fields import read_entries
from schedules.registry.problems import Problems, RegistryRefused

# Two appliers at once would both find a name missing and create it; any number serves, it is ours alone.
_LOCK = 7_310_115_108


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done, or would be in a dry run: names of new schedules, fields of changed ones."""

    created: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    unchanged: tuple[str, ...]


def apply(path: Path, *, dry_run: bool = False) -> Applied:
    """Upserts the file's schedules by name; schedules it does not name are left alone.

    Raises RegistryRefused, with every problem and nothing applied, and OSError when the file cannot be read.
    """
    problems = Problems()
    entries = read_entries(path, problems)
    with transaction.atomic():
        _lock()
        stored = _stored([entry.name for entry in entries])
        found = [change_of(entry, stored.get(entry.name), problems) for entry in entries]
        if problems.found:
            raise RegistryRefused(path, problems.found)
        changes = [change for change in found if change is not None]
        applied = _summary(changes)
        if not dry_run:
            for change in changes:
                change.save()
    return applied


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _stored(names: list[str]) -> dict[str, PeriodicTask]:
    rows = PeriodicTask.objects.select_for_update(of=("self",)).filter(name__in=names)
    return {row.name: row for row in rows.select_related("interval", "crontab", "clocked", "solar", "slotbeat")}


def _summary(changes: list[Change]) -> Applied:
    return Applied(
        created=tuple(change.row.name for change in changes if change.is_new),
        changed={
            change.row.name: (*change.row_fields, *(f"options.{name}" for name in change.option_fields))
            for change in changes
            if change.is_change
        },
        unchanged=tuple(change.row.name for change in changes if not change.is_new and not change.is_change),
    )
