"""The pages of schedules, their rules and their slots; they take the place of django-celery-beat's own."""

from __future__ import annotations

from schedules.admin import rules, schedule, slots

__all__ = ["rules", "schedule", "slots"]
