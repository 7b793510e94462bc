"""The wiring: settings, the Celery app, health pages and the commands that see the whole. Nobody imports it."""

from __future__ import annotations

from scheduler_project.celery import app as celery_app

__all__ = ["celery_app"]
