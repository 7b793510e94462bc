"""The page of accounts: whom fan-outs run for, and how their last runs went."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from workers.admin.base import BooleanRadioFilter, ExactFilter, ModelAdmin, seconds
from workers.admin.runs import run_state
from workers.models import Account, FeedCursor, FeedItem, Lease

_RUNS = 10


class TenantFilter(ExactFilter):
    """By the tenant's whole name: there may be thousands."""

    title = "tenant"
    parameter_name = "tenant"


@admin.action(description="Enable selected accounts", permissions=["change"])
def enable_accounts(page: Any, request: HttpRequest, accounts: QuerySet[Account]) -> None:
    """From the next slot on they take part again."""
    changed = accounts.filter(enabled=False).update(enabled=True)
    page.message_user(request, f"{changed} accounts enabled, the others were enabled already", messages.SUCCESS)


@admin.action(description="Disable selected accounts", permissions=["change"])
def disable_accounts(page: Any, request: HttpRequest, accounts: QuerySet[Account]) -> None:
    """From the next slot on they are left out."""
    changed = accounts.filter(enabled=True).update(enabled=False)
    page.message_user(request, f"{changed} accounts disabled, the others were disabled already", messages.SUCCESS)


@admin.register(Account)
class AccountAdmin(ModelAdmin[Account]):
    """An account with a history is disabled, not deleted: its runs stay explained."""

    actions = (enable_accounts, disable_accounts)
    list_display = ("key", "tenant", "name", "endpoint", "enabled")
    list_filter = (("enabled", BooleanRadioFilter), TenantFilter)
    list_filter_submit = True
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    search_fields = ("key", "tenant", "name")
    search_help_text = "Key, tenant or name"
    ordering = ("key",)
    sortable_by = ("key", "tenant")
    fields = (("key", "tenant"), "name", "endpoint", "secret_name", "enabled")
    change_form_after_template = "workers/admin/runs_of_account.html"

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without the deletion of many at once."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def get_readonly_fields(self, request: HttpRequest, obj: Account | None = None) -> tuple[str, ...]:
        """The key is the identity in slot ids and events: it stays."""
        return ("key",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        """Only for an account that never ran."""
        return super().has_delete_permission(request, obj) and not (obj and _has_history(obj))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Adds the last runs."""
        account = kwargs.get("obj")
        if account is not None and account.pk:
            context["runs"] = _last_runs(account)
            context["all_runs"] = f"{reverse('admin:workers_lease_changelist')}?{urlencode({'account': account.key})}"
        return super().render_change_form(request, context, *args, **kwargs)


def _has_history(account: Account) -> bool:
    return (
        Lease.objects.filter(account=account.key).exists()
        or FeedItem.objects.filter(account=account).exists()
        or FeedCursor.objects.filter(account=account).exists()
    )


def _last_runs(account: Account) -> dict[str, Any]:
    runs = Lease.objects.filter(account=account.key).order_by("-id")[:_RUNS]
    return {
        "headers": ["run", "scheduled for (UTC)", "state", "reason", "attempts", "duration"],
        "rows": [
            [
                _link(run),
                f"{run.scheduled_for:%Y-%m-%d %H:%M:%S}" if run.scheduled_for else "-",
                run_state(run),
                run.reason or "-",
                run.attempts,
                seconds(run.finished_at, run.acquired_at),
            ]
            for run in runs
        ],
    }


def _link(run: Lease) -> str:
    return format_html(
        '<a class="text-link" href="{}">{}</a>', reverse("admin:workers_lease_change", args=[run.pk]), run.code
    )
