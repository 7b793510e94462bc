"""Beside a schedule's form: when it fires next, and what became of its last slots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django_celery_beat.models import PeriodicTask

from schedules.admin.outlook import problem_of
from schedules.admin.slots import lateness, slot_state
from schedules.models import Slot
from schedules.registry.outlook import Forecast, forecast

_FIRE_TIMES = 5
_SLOTS = 10
_FORMAT = "%Y-%m-%d %H:%M:%S"


def panels(row: PeriodicTask, now: datetime) -> dict[str, Any]:
    """The template's context."""
    problem = problem_of(row)
    ahead = None if problem else forecast(row, now, _FIRE_TIMES)
    return {
        "problem": problem,
        "message": ahead.message if ahead else "",
        "fire_times": _fire_times(ahead) if ahead else {},
        "slots": _slots(row),
        "all_slots": f"{reverse('admin:schedules_slot_changelist')}?{urlencode({'schedule__exact': row.name})}",
    }


def _fire_times(ahead: Forecast) -> dict[str, Any]:
    """In UTC, in the schedule's zone where that is another one, and with notes where there are any."""
    columns = {"UTC": [f"{each.instant.astimezone(UTC):{_FORMAT}}" for each in ahead.fire_times]}
    if ahead.zone.key != "UTC":
        columns[ahead.zone.key] = [f"{each.instant.astimezone(ahead.zone):{_FORMAT} %Z}" for each in ahead.fire_times]
    if any(each.note for each in ahead.fire_times):
        columns["note"] = [each.note for each in ahead.fire_times]
    return {"headers": list(columns), "rows": [list(row) for row in zip(*columns.values(), strict=True)]}


def _slots(row: PeriodicTask) -> dict[str, Any]:
    newest = Slot.objects.filter(schedule=row.name).order_by("-scheduled_for")[:_SLOTS]
    return {
        "headers": ["scheduled for (UTC)", "trigger", "state", "reason", "lateness"],
        "rows": [[_link(slot), slot.trigger, slot_state(slot), slot.reason or "-", lateness(slot)] for slot in newest],
    }


def _link(slot: Slot) -> str:
    url = reverse("admin:schedules_slot_change", args=[slot.pk])
    return format_html('<a class="text-link" href="{}">{}</a>', url, f"{slot.scheduled_for.astimezone(UTC):{_FORMAT}}")
