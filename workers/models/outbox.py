"""The event row written in the business transaction; the relay moves it."""

from __future__ import annotations

import uuid
from enum import StrEnum

from django.db import models


class EventState(StrEnum):
    """PENDING goes with the next batch; PUBLISHED is final."""

    PENDING = "pending"
    PUBLISHED = "published"


class OutboxEvent(models.Model):
    """`id` is the order of events; `event_id` is what consumers deduplicate by; `key` keeps related events in order."""

    event_id = models.UUIDField(unique=True, default=uuid.uuid4)
    topic = models.CharField(max_length=200)
    key = models.CharField(max_length=300)
    payload = models.JSONField()
    headers = models.JSONField(default=dict)
    state = models.CharField(
        max_length=10, choices=[(state, state) for state in EventState], default=EventState.PENDING
    )
    attempts = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "outbox event"
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state=EventState.PENDING), name="outbox_pending"),
            models.Index(
                fields=["topic", "key", "id"], condition=models.Q(state=EventState.PENDING), name="outbox_pending_key"
            ),
            models.Index(
                fields=["published_at"], condition=models.Q(state=EventState.PUBLISHED), name="outbox_published"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.event_id}"
