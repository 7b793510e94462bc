"""One slot becomes one run per account: how far that has come."""

from __future__ import annotations

from django.db import models


class FanOut(models.Model):
    """`cursor` is the last account handed over, so that an umbrella killed half-way goes on behind it."""

    slot_id = models.TextField(unique=True)
    schedule = models.CharField(max_length=200)
    scheduled_for = models.DateTimeField()
    job = models.CharField(max_length=200)
    cursor = models.BigIntegerField(default=0)
    published = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "fan-out"
        indexes = [models.Index(fields=["-scheduled_for"], name="fan_out_newest")]

    def __str__(self) -> str:
        return self.slot_id
