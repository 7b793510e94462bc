"""What the pages of this app share: unfold's looks under Django's types, coloured labels, and pages of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.contrib.admin import ShowFacets
from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from unfold.paginator import InfinitePaginator

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin, StackedInline, TabularInline
    from django.contrib.admin.views.main import ChangeList
else:
    from unfold import admin as unfold_admin
    from unfold.views import ChangeList

    class _Typed:
        """Lets a page name its model, as in ModelAdmin[Slot]; at run time that changes nothing."""

        def __class_getitem__(cls, _model: object) -> type:
            return cls

    class ModelAdmin(_Typed, unfold_admin.ModelAdmin):
        """A page of unfold's."""

    class StackedInline(_Typed, unfold_admin.StackedInline):
        """An inline of unfold's."""

    class TabularInline(_Typed, unfold_admin.TabularInline):
        """An inline of unfold's, a row a record."""


M = TypeVar("M", bound=Model)

__all__ = ["ChangeList", "ModelAdmin", "ReadOnly", "StackedInline", "TabularInline", "label"]


class ReadOnly(ModelAdmin[M]):
    """A page of records: nobody adds, changes or deletes one; lists are paged without counting millions of rows."""

    actions = None
    list_per_page = 50
    list_filter_submit = True
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator: ClassVar[Any] = InfinitePaginator
    sortable_by: ClassVar[tuple[str, ...]] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Records are written by the processes they are about."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Records say what happened."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Records go when their retention ends."""
        return False


def label(text: str, kinds: Mapping[str, str], title: str = "") -> SafeString:
    """`text` on the colour its kind has in `kinds`: info, success, warning, danger or primary."""
    context = {"text": text.replace("_", " "), "type": kinds.get(text, ""), "label_title": title}
    return render_to_string("unfold/helpers/label.html", context)
