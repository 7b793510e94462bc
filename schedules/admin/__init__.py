"""The pages of schedules, their rules, calendars and slots; they take the place of django-celery-beat's own."""

from __future__ import annotations

from schedules.admin import calendars, rules, schedule, slots

__all__ = ["calendars", "rules", "schedule", "slots"]
