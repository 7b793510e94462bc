"""The page of leases: each is the record of one run."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.text import Truncator

from schedules.stamp import idempotency_key, parse_id
from workers.admin.base import ChoicesDropdownFilter, ExactFilter, ReadOnly, label, seconds
from workers.models import Kind, Lease, LeaseState

_STATES: dict[str, str] = {
    LeaseState.RUNNING: "primary",
    LeaseState.SUCCESS: "success",
    LeaseState.FAIL: "danger",
    LeaseState.SKIPPED: "warning",
}


def run_state(lease: Lease) -> str:
    """The state as a coloured label; the error shows under the pointer."""
    return label(lease.state, _STATES, Truncator(lease.error or lease.reason).chars(300))


class AccountFilter(ExactFilter):
    """By the account's whole key."""

    title = "account"
    parameter_name = "account"


class ScheduleFilter(ExactFilter):
    """By the schedule's whole name."""

    title = "schedule"
    parameter_name = "code"


@admin.register(Lease)
class LeaseAdmin(ReadOnly[Lease]):
    """Newest first; ordered and searched by indexes only."""

    list_display = (
        "code",
        "account",
        "scheduled_for",
        "state_label",
        "reason",
        "attempts",
        "worker",
        "acquired_at",
        "duration",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("kind", ChoicesDropdownFilter),
        ScheduleFilter,
        AccountFilter,
    )
    list_fullwidth = True
    ordering = ("-id",)
    search_fields = ("idempotency_key",)
    search_help_text = "Schedule, account, slot id or key, whole"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("code", "kind"),
                    ("account", "scheduled_for"),
                    "slot",
                    ("state_label", "reason"),
                    "error",
                    ("attempts", "worker"),
                )
            },
        ),
        ("Times (the database's clock)", {"fields": (("acquired_at", "finished_at"), ("heartbeat_at", "expires_at"))}),
        ("Identity", {"fields": ("idempotency_key", "overlap_key", ("owner", "fence"), "created_at")}),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Lease], search_term: str
    ) -> tuple[QuerySet[Lease], bool]:
        """Whole names only, whichever is first: key or slot id, account, schedule; one index each."""
        term = search_term.strip()
        if not term:
            return queryset, False
        keys = [term, *_keys_of_slot(term)]
        for exact in ({"idempotency_key__in": keys}, {"account": term}, {"code": term}):
            if Lease.objects.filter(**exact).exists():
                return queryset.filter(**exact), False
        return queryset.none(), False

    @admin.display(description="state")
    def state_label(self, lease: Lease) -> str:
        """Coloured."""
        return run_state(lease)

    @admin.display(description="duration")
    def duration(self, lease: Lease) -> str:
        """From its last claim to its end."""
        return seconds(lease.finished_at, lease.acquired_at)

    @admin.display(description="slot")
    def slot(self, lease: Lease) -> str:
        """The way to the slot it belongs to."""
        if not lease.run_key:
            return "-"
        url = f"{reverse('admin:schedules_slot_changelist')}?{urlencode({'schedule__exact': lease.code})}"
        return format_html('{} <a class="text-link" href="{}">slots of this schedule</a>', lease.run_key, url)


def _keys_of_slot(term: str) -> list[str]:
    """The key of the run of a slot id; none when the term is no slot id."""
    try:
        schedule, _account, _instant = parse_id(term)
        return [idempotency_key(Kind.SCHEDULE, schedule, term)]
    except ValueError:
        return []
