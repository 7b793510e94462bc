"""The right to do one run, and the record of it: one row a run, for ever or until its retention ends."""

from __future__ import annotations

from enum import StrEnum

from django.db import models


class Kind(StrEnum):
    """What a run key means."""

    SCHEDULE = "SCHEDULE"  # one run for each run key
    INITIAL = "INITIAL"  # one run for ever; there is no run key


class LeaseState(StrEnum):
    """RUNNING and FAIL can be claimed (the first when expired); SUCCESS and SKIPPED are final."""

    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAIL = "FAIL"
    SKIPPED = "SKIPPED"


class Lease(models.Model):
    """Every instant in it is the database's clock. `fence` grows with each claim; `owner` changes with each claim."""

    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in Kind], default=Kind.SCHEDULE)
    code = models.CharField(max_length=200)
    run_key = models.TextField(blank=True)
    idempotency_key = models.CharField(max_length=67, unique=True)
    account = models.CharField(max_length=200, blank=True)
    scheduled_for = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=[(state, state) for state in LeaseState])
    reason = models.CharField(max_length=20, blank=True)
    error = models.TextField(blank=True)
    overlap_key = models.TextField(null=True)  # noqa: DJ001 null takes no part in the unique index, an empty text would
    owner = models.UUIDField(null=True)
    fence = models.BigIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=200, blank=True)
    acquired_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["overlap_key"],
                condition=models.Q(state=LeaseState.RUNNING),
                name="lease_one_running_per_overlap_key",
            )
        ]
        indexes = [
            models.Index(fields=["code", "-scheduled_for", "account"], name="lease_of_schedule"),
            models.Index(fields=["account", "-id"], name="lease_of_account"),
            models.Index(fields=["expires_at"], condition=models.Q(state=LeaseState.RUNNING), name="lease_running"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.run_key}".strip()
