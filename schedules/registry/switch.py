"""Pause and resume a schedule by name: saved like any edit, so that a resumed one starts from now."""

from __future__ import annotations

from django_celery_beat.models import PeriodicTask


def set_enabled(row: PeriodicTask, *, enabled: bool) -> bool:
    """Switches the schedule; False when it was so already. Raises ValidationError when it could not run."""
    if row.enabled == enabled:
        return False
    row.enabled = enabled
    row.save(update_fields=["enabled", "last_run_at", "date_changed"])
    return True
