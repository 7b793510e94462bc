"""The app that decides when, and hands over once."""

from __future__ import annotations

from django.apps import AppConfig


class SchedulesConfig(AppConfig):
    """Registers the checks and the refusal of schedules that cannot run."""

    name = "schedules"
    verbose_name = "Schedules"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Signals and checks register themselves when imported; that needs the models to be ready."""
        from schedules import checks, signals  # noqa: F401, PLC0415 models must be loaded first
        from schedules.models.unknown_zone import tolerate_unknown_zones  # noqa: PLC0415 models must be loaded first

        tolerate_unknown_zones()
