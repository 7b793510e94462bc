"""The ledger: one row a slot, what became of it and, if it did not run, why."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from schedules.models.choices import choices
from schedules.stamp import Trigger


class SlotState(StrEnum):
    """How far a slot has come; the first two move on, the last three are final."""

    DISPATCHED = "dispatched"  # handed to the broker
    RUNNING = "running"  # a worker holds its lease
    DONE = "done"  # its run ended well
    FAILED = "failed"  # its run ended in an error
    SKIPPED = "skipped"  # it will not run; the reason says why


class SkipReason(StrEnum):
    """Why a slot, or one account's run, did not happen."""

    OVERLAP = "overlap"  # the earlier run had not ended
    CATCH_UP = "catch_up"  # it was missed, and the policy lets it go
    DEADLINE = "deadline"  # it came to a worker too late to start
    PAUSED = "paused"  # the account is paused


class Slot(models.Model):
    """`schedule` is a name, not a foreign key: the history outlives the schedule. Instants are UTC.

    The slot id is made of schedule and fire time, so its being unique is their being unique together; a second
    constraint for them would refuse a worker and a beat that write one row at the same moment.
    """

    slot_id = models.TextField(unique=True)
    schedule = models.CharField(max_length=200)
    scheduled_for = models.DateTimeField()
    trigger = models.CharField(max_length=10, choices=choices(Trigger), default=Trigger.SCHEDULE)
    state = models.CharField(max_length=10, choices=choices(SlotState))
    reason = models.CharField(max_length=20, blank=True, choices=choices(SkipReason))
    detail = models.TextField(blank=True)
    dispatches = models.PositiveSmallIntegerField(
        default=0, help_text="How often a beat confirmed handing it over: 1, or 0 if that beat died before noting it."
    )
    dispatched_by = models.CharField(max_length=100, blank=True)
    dispatched_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["schedule", "-scheduled_for"], name="slot_of_schedule"),
            models.Index(fields=["-scheduled_for"], name="slot_newest"),
            models.Index(
                fields=["scheduled_for"],
                condition=models.Q(state__in=[SlotState.DISPATCHED, SlotState.RUNNING]),
                name="slot_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return self.slot_id
