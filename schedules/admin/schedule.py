"""The page of schedules: django-celery-beat's rows with what Slotbeat knows about them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django_celery_beat import admin as stock_admin
from django_celery_beat.models import PeriodicTask

from schedules.admin.base import ModelAdmin, label
from schedules.admin.options_inline import OptionsInline
from schedules.admin.outlook import rule_in_words
from schedules.admin.schedule_actions import disable_tasks, enable_tasks, run_tasks, toggle_tasks
from schedules.admin.schedule_filters import KindFilter, TaskFilter
from schedules.admin.schedule_form import ScheduleForm
from schedules.admin.schedule_list import ScheduleList
from schedules.admin.schedule_panels import panels
from schedules.admin.slots import slot_state
from schedules.models import ScheduleOptions

if TYPE_CHECKING:
    from django.contrib.admin import BooleanFieldListFilter as BooleanRadioFilter
else:
    from unfold.contrib.filters.admin import BooleanRadioFilter

_STATES = {"valid": "success", "invalid": "danger"}

admin.site.unregister(stock_admin.PeriodicTask)


@admin.register(PeriodicTask)
class ScheduleAdmin(ModelAdmin[PeriodicTask]):
    """Edits count at once, and go through the same refusal as files and commands."""

    form = ScheduleForm
    inlines = (OptionsInline,)
    actions = (enable_tasks, disable_tasks, toggle_tasks, run_tasks)
    list_display = ("name", "rule", "enabled", "state", "next_fire_time", "last_slot", "options")
    list_filter = (("enabled", BooleanRadioFilter), KindFilter, TaskFilter)
    list_filter_submit = True
    list_per_page = 50
    list_select_related = ("interval", "crontab", "clocked", "solar", "slotbeat__calendar")
    list_fullwidth = True
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    search_fields = ("name", "task")
    search_help_text = "Name or task"
    ordering = ("name",)
    sortable_by = ("name", "enabled")
    autocomplete_fields = ("interval", "crontab", "clocked", "solar")
    change_form_after_template = "schedules/admin/panels.html"
    fieldsets = (
        (None, {"fields": ("name", "task", "enabled", "description")}),
        (
            "When (choose one of the four kinds)",
            {"fields": ("interval", "crontab", "clocked", "solar", "start_time", "expires", "one_off")},
        ),
        ("Arguments", {"fields": ("args", "kwargs")}),
        (
            "Message",
            {
                "fields": (("queue", "priority"), ("exchange", "routing_key"), ("expire_seconds", "headers")),
                "classes": ("collapse",),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[PeriodicTask]:
        """With the dates on which each schedule rests, which its next fire time depends on."""
        rows: QuerySet[PeriodicTask] = super().get_queryset(request).prefetch_related("slotbeat__calendar__dates")
        return rows

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ScheduleList]:
        """The list that knows outlooks and last slots."""
        return ScheduleList

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Adds the read-only panels."""
        row = kwargs.get("obj")
        if row is not None and row.pk:
            now = datetime.now(UTC)  # noqa: TID251 a page is an entry point
            context["panels"] = panels(row, now)
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="rule")
    def rule(self, row: PeriodicTask) -> str:
        """In words."""
        return rule_in_words(row)

    @admin.display(description="state")
    def state(self, row: PeriodicTask) -> str:
        """Whether it can run; the reason shows under the pointer."""
        return label("invalid" if row.outlook.problem else "valid", _STATES, row.outlook.problem)

    @admin.display(description="next fire time")
    def next_fire_time(self, row: PeriodicTask) -> datetime | None:
        """None for one that will not fire."""
        found: datetime | None = row.outlook.next_fire_time
        return found

    @admin.display(description="last slot")
    def last_slot(self, row: PeriodicTask) -> str:
        """Its instant and what became of it."""
        return slot_state(row.last_slot, with_instant=True) if row.last_slot else ""

    @admin.display(description="options")
    def options(self, row: PeriodicTask) -> str:
        """In few words."""
        options = getattr(row, "slotbeat", None) or ScheduleOptions()
        overlap = options.overlap.replace("_", " ")
        return f"catch up {options.catch_up}, overlap {overlap}, lease {options.lease_seconds} s"
