"""The app that does the work, one at a time, and tells others."""

from __future__ import annotations

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    """Registers the checks."""

    name = "workers"
    verbose_name = "Workers"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Checks register themselves when imported; that needs the models to be ready."""
        from workers import checks  # noqa: F401, PLC0415 models must be loaded first
