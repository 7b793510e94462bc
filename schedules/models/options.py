"""What a schedule has beyond django-celery-beat's row."""

from __future__ import annotations

from datetime import timedelta

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django_celery_beat.models import PeriodicTask

from schedules.models.choices import choices
from schedules.stamp import Overlap
from schedules.timing.misfire import MAX_WINDOW, CatchUp

_MAX_WINDOW_SECONDS = int(MAX_WINDOW / timedelta(seconds=1))


class ScheduleOptions(models.Model):
    """One-to-one with a PeriodicTask; a task without a row has the defaults."""

    periodic_task = models.OneToOneField(PeriodicTask, on_delete=models.CASCADE, related_name="slotbeat")
    catch_up = models.CharField(
        max_length=10,
        choices=choices(CatchUp),
        default=CatchUp.LATEST,
        help_text="What becomes of fire times that passed while no beat could dispatch them.",
    )
    catchup_window_seconds = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(_MAX_WINDOW_SECONDS)],
        help_text="How long after its instant a missed slot may still go. Empty: half the period, "
        "at least 1 minute, at most 12 hours.",
    )
    catchup_limit = models.PositiveSmallIntegerField(
        default=100,
        validators=[MinValueValidator(1)],
        help_text="How many missed slots may go at once when each of them goes.",
    )
    overlap = models.CharField(
        max_length=20,
        choices=choices(Overlap),
        default=Overlap.SKIP,
        help_text="What happens when the earlier run of this schedule (and account) has not ended.",
    )
    lease_seconds = models.PositiveIntegerField(
        default=900,
        validators=[MinValueValidator(3)],
        help_text="How long a run may be silent before another worker may take it over.",
    )

    class Meta:
        verbose_name = verbose_name_plural = "schedule options"

    def __str__(self) -> str:
        return f"options of {self.periodic_task.name}"
