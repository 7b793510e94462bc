"""Beside a schedule's form: when it fires next, and what became of its last slots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.html import format_html
from django_celery_beat.models import PeriodicTask

from schedules.admin.outlook import kind_of, problem_of, upcoming
from schedules.admin.slots import lateness, slot_state
from schedules.models import Slot

_FIRE_TIMES = 5
_SLOTS = 10
_FORMAT = "%Y-%m-%d %H:%M:%S"


def panels(row: PeriodicTask, now: datetime) -> dict[str, Any]:
    """The template's context."""
    return {
        "problem": problem_of(row),
        "fire_times": _fire_times(row, now),
        "slots": _slots(row),
        "all_slots": f"{reverse('admin:schedules_slot_changelist')}?{urlencode({'schedule__exact': row.name})}",
    }


def _fire_times(row: PeriodicTask, now: datetime) -> dict[str, Any]:
    zone = ZoneInfo(str(row.crontab.timezone)) if kind_of(row) == "crontab" else None
    instants = upcoming(row, now, _FIRE_TIMES)
    return {
        "headers": ["UTC", *([zone.key] if zone else [])],
        "rows": [
            [f"{instant.astimezone(UTC):{_FORMAT}}", *([f"{instant.astimezone(zone):{_FORMAT} %Z}"] if zone else [])]
            for instant in instants
        ],
    }


def _slots(row: PeriodicTask) -> dict[str, Any]:
    newest = Slot.objects.filter(schedule=row.name).order_by("-scheduled_for")[:_SLOTS]
    return {
        "headers": ["scheduled for (UTC)", "trigger", "state", "reason", "lateness"],
        "rows": [[_link(slot), slot.trigger, slot_state(slot), slot.reason or "-", lateness(slot)] for slot in newest],
    }


def _link(slot: Slot) -> str:
    url = reverse("admin:schedules_slot_change", args=[slot.pk])
    return format_html('<a class="text-link" href="{}">{}</a>', url, f"{slot.scheduled_for.astimezone(UTC):{_FORMAT}}")
