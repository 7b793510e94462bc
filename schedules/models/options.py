"""What a schedule has beyond django-celery-beat's row."""

from __future__ import annotations

from datetime import timedelta

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django_celery_beat.models import PeriodicTask

from schedules.models.calendar import Calendar
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

    catchup_pace_seconds = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="How long to wait between two missed slots when each of them goes. 0: at once.",
    )
    catch_up_from = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Set by a resume that asks for the time it was paused."
    )
    catch_up_resumed_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="The row's last change when that was asked: a later one ends it.",
    )
    seconds = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="A seconds field for a crontab, as in 0,30 or */10. Empty: 0.",
    )
    month_day = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="A day of the month for a crontab: last day, last weekday, 2nd tue, last fri.",
    )
    ends_at = models.DateTimeField(null=True, blank=True, help_text="No slot at or after this instant.")
    max_runs = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="The schedule ends after so many runs."
    )
    calendar = models.ForeignKey(
        Calendar, null=True, blank=True, on_delete=models.PROTECT, help_text="No slot on its dates."
    )
    jitter_seconds = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Hand over up to so many seconds later, always the same for this schedule. 0: at once.",
    )
    interval_zone = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        help_text="Lets an interval of whole days follow the clocks of this zone.",
    )

    class Meta:
        verbose_name = verbose_name_plural = "schedule options"

    def __str__(self) -> str:
        return f"options of {self.periodic_task.name}"
