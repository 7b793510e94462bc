"""The pages of what accounts' feeds last said, and of how far they were read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from workers.admin.base import ExactFilter, M, ReadOnly, pretty_json
from workers.models import FeedCursor, FeedItem


class FeedFilter(ExactFilter):
    """By the feed's whole name."""

    title = "feed"
    parameter_name = "feed"


class ItemFilter(ExactFilter):
    """By the item's whole name."""

    title = "item"
    parameter_name = "item"


class FeedAdmin(ReadOnly[M]):
    """Searched by account: the index begins with it."""

    list_select_related = ("account",)
    ordering = ("-id",)
    search_fields = ("account__key",)
    search_help_text = "Account, by its whole key"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """The rows of one account."""
        term = search_term.strip()
        return (queryset.filter(account__key=term) if term else queryset), False


@admin.register(FeedCursor)
class FeedCursorAdmin(FeedAdmin[FeedCursor]):
    """How far each feed was read."""

    list_display = ("account", "feed", "cursor", "updated_at")
    list_filter = (FeedFilter,)
    fields = (("account", "feed"), "cursor", "updated_at")


@admin.register(FeedItem)
class FeedItemAdmin(FeedAdmin[FeedItem]):
    """Each thing in its newest version."""

    list_display = ("item", "account", "feed", "version", "changed_at")
    list_filter = (FeedFilter, ItemFilter)
    fields = (("account", "feed"), ("item", "version"), "changed_at", "shown_data")

    def get_queryset(self, request: HttpRequest) -> Any:
        """Without the data; the page of one item asks for it."""
        return super().get_queryset(request).defer("data")

    @admin.display(description="data")
    def shown_data(self, item: FeedItem) -> str:
        """Its beginning, indented."""
        return pretty_json(item.data)
