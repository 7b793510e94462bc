"""The project's own app: it wires the others, and holds the commands that see the whole."""

from __future__ import annotations

import logging.config

from django.apps import AppConfig
from django.conf import settings


class ProjectConfig(AppConfig):
    """Configures logging once the settings stand."""

    name = "scheduler_project"
    verbose_name = "Slotbeat"

    def ready(self) -> None:
        """Every process of the project logs in the same shape."""
        logging.config.dictConfig(settings.LOGGING)
