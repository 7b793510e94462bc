"""Pause and resume a schedule by name: saved like any edit, so that a resumed one starts from now."""

from __future__ import annotations

from django.db import transaction
from django_celery_beat.models import PeriodicTask

from schedules.models import ScheduleOptions


def set_enabled(row: PeriodicTask, *, enabled: bool, catch_up: bool = False) -> bool:
    """Switches the schedule; False when it was so already. Raises ValidationError when it could not run.

    A resume with `catch_up` lets the fire times since the pause count as missed, so that the schedule's policy decides.
    """
    if row.enabled == enabled:
        return False
    paused_at = row.date_changed
    row.enabled = enabled
    with transaction.atomic():
        row.save(update_fields=["enabled", "last_run_at", "date_changed"])
        asked = (paused_at, row.date_changed) if enabled and catch_up else (None, None)
        fields = dict(zip(("catch_up_from", "catch_up_resumed_at"), asked, strict=True))
        ScheduleOptions.objects.update_or_create(periodic_task=row, defaults=fields)
    return True
