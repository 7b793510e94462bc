"""The page of slots: what became of each, and if it did not run, why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.text import Truncator

from schedules.admin.base import ReadOnly, label
from schedules.admin.date_range import InstantRangeFilter
from schedules.models import Slot, SlotState

if TYPE_CHECKING:
    from django.contrib.admin import ChoicesFieldListFilter as ChoicesDropdownFilter
else:
    from unfold.contrib.filters.admin import ChoicesDropdownFilter

_STATES: dict[str, str] = {
    SlotState.DISPATCHED: "info",
    SlotState.RUNNING: "primary",
    SlotState.DONE: "success",
    SlotState.FAILED: "danger",
    SlotState.SKIPPED: "warning",
}


def slot_state(slot: Slot, *, with_instant: bool = False) -> str:
    """The state as a coloured label, after the slot's instant if wished."""
    shown = label(slot.state, _STATES, slot.detail or slot.reason)
    if not with_instant:
        return shown
    return format_html("{} {}", f"{slot.scheduled_for.astimezone(UTC):%Y-%m-%d %H:%M:%S}", shown)


def lateness(slot: Slot) -> str:
    """How long after its instant the slot was handed to the broker."""
    return _seconds(slot.dispatched_at, slot.scheduled_for)


def duration(slot: Slot) -> str:
    """How long its run took."""
    return _seconds(slot.finished_at, slot.started_at)


@admin.register(Slot)
class SlotAdmin(ReadOnly[Slot]):
    """Ordered and searched by indexes only: the ledger holds millions."""

    list_display = (
        "schedule",
        "scheduled_for",
        "trigger",
        "shown_state",
        "reason",
        "shown_detail",
        "dispatched_by",
        "lateness",
        "duration",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("reason", ChoicesDropdownFilter),
        ("trigger", ChoicesDropdownFilter),
        ("scheduled_for", InstantRangeFilter),
    )
    list_fullwidth = True
    ordering = ("-scheduled_for",)
    sortable_by = ("scheduled_for",)
    search_fields = ("slot_id",)
    search_help_text = "Schedule or slot id, from its beginning"
    fieldsets = (
        (None, {"fields": ("slot_id", ("schedule", "scheduled_for"), ("trigger", "shown_state"), "reason", "detail")}),
        (
            "Times",
            {
                "fields": (
                    ("dispatched_at", "lateness"),
                    ("dispatched_by", "dispatches"),
                    ("started_at", "finished_at"),
                    "duration",
                )
            },
        ),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Slot], search_term: str
    ) -> tuple[QuerySet[Slot], bool]:
        """By whole slot id, whole schedule name or the beginning of a slot id, whichever is first: one index each."""
        term = search_term.strip()
        if not term:
            return queryset, False
        for exact in ({"slot_id": term}, {"schedule": term}):
            if Slot.objects.filter(**exact).exists():
                return queryset.filter(**exact), False
        return queryset.filter(slot_id__startswith=term), False

    @admin.display(description="state")
    def shown_state(self, slot: Slot) -> str:
        """Coloured."""
        return slot_state(slot)

    @admin.display(description="detail", empty_value="")
    def shown_detail(self, slot: Slot) -> str:
        """Its beginning; the slot's page has it all."""
        return Truncator(slot.detail).chars(60)

    @admin.display(description="lateness")
    def lateness(self, slot: Slot) -> str:
        """In seconds."""
        return lateness(slot)

    @admin.display(description="duration")
    def duration(self, slot: Slot) -> str:
        """In seconds."""
        return duration(slot)


def _seconds(end: datetime | None, start: datetime | None) -> str:
    if end is None or start is None:
        return "-"
    return f"{(end - start) / timedelta(seconds=1):.3f} s"
