"""The refusal holds for every save(), whoever calls it; a disabled schedule may be kept in any state."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import pre_save
from django.dispatch import receiver
from django_celery_beat.models import PeriodicTask

from schedules.validation import validate


@receiver(pre_save, sender=PeriodicTask)
def refuse_what_cannot_run(instance: PeriodicTask, *, raw: bool = False, **_kwargs: Any) -> None:
    """Raises ValidationError; fixtures (`raw`) are loaded as they are, and the beat reports what it rejects."""
    if instance.enabled and not raw:
        validate(instance)
