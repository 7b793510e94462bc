"""The page of fan-outs: how far each slot has been handed over to its accounts."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from workers.admin.base import ReadOnly, label, seconds
from workers.models import FanOut

_STATES = {"finished": "success", "under way": "primary"}


@admin.register(FanOut)
class FanOutAdmin(ReadOnly[FanOut]):
    """Newest first."""

    list_display = ("schedule", "scheduled_for", "job", "progress", "published", "skipped", "started_at", "duration")
    ordering = ("-scheduled_for",)
    sortable_by = ("scheduled_for",)
    search_fields = ("slot_id",)
    search_help_text = "Schedule or slot id, from its beginning"
    fields = (
        "slot_id",
        ("schedule", "scheduled_for"),
        ("job", "progress"),
        ("published", "skipped"),
        ("started_at", "finished_at"),
        "cursor",
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[FanOut], search_term: str
    ) -> tuple[QuerySet[FanOut], bool]:
        """By the beginning of the slot id, which is the schedule's name: it has an index."""
        term = search_term.strip()
        return (queryset.filter(slot_id__startswith=term) if term else queryset), False

    @admin.display(description="state")
    def progress(self, fan_out: FanOut) -> str:
        """Coloured."""
        return label("finished" if fan_out.finished_at else "under way", _STATES)

    @admin.display(description="duration")
    def duration(self, fan_out: FanOut) -> str:
        """From its first account to its last."""
        return seconds(fan_out.finished_at, fan_out.started_at)
