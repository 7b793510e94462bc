"""The filters of the list of schedules; their choices cost no query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.http import HttpRequest

from schedules.admin.outlook import KINDS
from schedules.validation import known_tasks

if TYPE_CHECKING:
    from django.contrib.admin import SimpleListFilter as DropdownFilter
else:
    from unfold.contrib.filters.admin import DropdownFilter


class KindFilter(DropdownFilter):
    """By the kind of rule."""

    title = "kind of rule"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The four kinds."""
        return [(kind, kind) for kind in KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The schedules that have a rule of that kind."""
        kind = self.value()
        return queryset.filter(**{f"{kind}__isnull": False}) if kind in KINDS else queryset


class TaskFilter(DropdownFilter):
    """By the task, of those Celery knows; the search finds the others."""

    title = "task"
    parameter_name = "task"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The known tasks."""
        return [(name, name) for name in known_tasks()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The schedules of that task."""
        return queryset.filter(task=self.value()) if self.value() else queryset
