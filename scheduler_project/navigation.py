"""The admin's sidebar: what a person may see, in the order of the flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy

_GROUPS = {
    "Schedules": [
        ("Schedules", "calendar_clock", "django_celery_beat", "periodictask"),
        ("Slots", "event_available", "schedules", "slot"),
        ("Intervals", "timer", "django_celery_beat", "intervalschedule"),
        ("Crontabs", "calendar_month", "django_celery_beat", "crontabschedule"),
        ("Clocked times", "alarm", "django_celery_beat", "clockedschedule"),
        ("Solar events", "wb_sunny", "django_celery_beat", "solarschedule"),
        ("Calendars", "event_busy", "schedules", "calendar"),
    ],
    "Accounts & runs": [
        ("Accounts", "storefront", "workers", "account"),
        ("Runs", "play_circle", "workers", "lease"),
        ("Fan-outs", "call_split", "workers", "fanout"),
        ("Feed items", "inventory_2", "workers", "feeditem"),
        ("Feed cursors", "bookmark", "workers", "feedcursor"),
    ],
    "Events": [("Outbox", "outbox", "workers", "outboxevent")],
    "Access": [("Users", "person", "auth", "user"), ("Groups", "group", "auth", "group")],
}


def sidebar() -> list[dict[str, Any]]:
    """The groups as unfold takes them; an entry shows to those who may view its records."""
    return [
        {"title": title, "separator": True, "items": [_entry(*entry) for entry in entries]}
        for title, entries in _GROUPS.items()
    ]


def _entry(title: str, icon: str, app: str, model: str) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{app}_{model}_changelist"),
        "permission": _may_view(app, model),
    }


def _may_view(app: str, model: str) -> Callable[[HttpRequest], bool]:
    def may_view(request: HttpRequest) -> bool:
        return request.user.has_perm(f"{app}.view_{model}") or request.user.has_perm(f"{app}.change_{model}")

    return may_view
