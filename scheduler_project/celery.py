"""The Celery application: `celery -A scheduler_project beat` and `worker` start here."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

app = Celery("slotbeat", task_cls="workers.task:StampedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would open a database connection for every task; ours are kept, and looked at before each run (StampedTask).
app.add_defaults(lambda: {"CELERY_DB_REUSE_MAX": 10_000})


@setup_logging.connect
def keep_the_projects_logging(**_kwargs: Any) -> None:
    """Being connected is enough: celery then leaves logging as the settings made it."""
