"""The page of outbox events: what is to be told, and what has been."""

from __future__ import annotations

import uuid

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from workers.admin.base import ChoicesDropdownFilter, ExactFilter, ReadOnly, label, pretty_json, seconds
from workers.models import EventState, OutboxEvent

_STATES: dict[str, str] = {EventState.PENDING: "warning", EventState.PUBLISHED: "success"}


class TopicFilter(ExactFilter):
    """By the topic's whole name."""

    title = "topic"
    parameter_name = "topic"


@admin.register(OutboxEvent)
class OutboxEventAdmin(ReadOnly[OutboxEvent]):
    """Newest first; payloads are read for one event at a time."""

    list_display = ("id", "topic", "key", "state_label", "attempts", "created_at", "published_at", "delay")
    list_filter = (("state", ChoicesDropdownFilter), TopicFilter)
    ordering = ("-id",)
    search_fields = ("event_id",)
    search_help_text = "Event id or key, whole"
    fieldsets = (
        (None, {"fields": ("event_id", ("topic", "key"), ("state_label", "attempts"), "error")}),
        ("Times", {"fields": (("created_at", "published_at"), "delay")}),
        ("Content", {"fields": ("shown_payload", "shown_headers")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxEvent]:
        """Without the large columns; the page of one event asks for them."""
        return super().get_queryset(request).defer("payload", "headers")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[OutboxEvent], search_term: str
    ) -> tuple[QuerySet[OutboxEvent], bool]:
        """By the whole event id or key."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(Q(event_id=uuid.UUID(term)) | Q(key=term)), False
        except ValueError:
            return queryset.filter(key=term), False

    @admin.display(description="state")
    def state_label(self, event: OutboxEvent) -> str:
        """Coloured; the last error shows under the pointer."""
        return label(event.state, _STATES, event.error[:300])

    @admin.display(description="delay")
    def delay(self, event: OutboxEvent) -> str:
        """From the transaction that wrote it to its publication."""
        return seconds(event.published_at, event.created_at)

    @admin.display(description="payload")
    def shown_payload(self, event: OutboxEvent) -> str:
        """Its beginning, indented."""
        return pretty_json(event.payload)

    @admin.display(description="headers")
    def shown_headers(self, event: OutboxEvent) -> str:
        """Its beginning, indented."""
        return pretty_json(event.headers)
