"""Named calendars: the days on which schedules rest."""

from __future__ import annotations

from django.db import models


class Calendar(models.Model):
    """A set of dates under a name, as in "bank holidays"; a schedule rests on them in its own zone."""

    name = models.CharField(max_length=100, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class CalendarDate(models.Model):
    """One day of a calendar."""

    calendar = models.ForeignKey(Calendar, on_delete=models.CASCADE, related_name="dates")
    date = models.DateField()
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["date"]
        constraints = [models.UniqueConstraint(fields=["calendar", "date"], name="calendar_date_once")]

    def __str__(self) -> str:
        return f"{self.date:%Y-%m-%d} {self.note}".strip()
