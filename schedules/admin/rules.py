"""The pages of the rules that schedules share: intervals, crontabs, clocked times, solar events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django_celery_beat import admin as stock_admin
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from schedules.admin.base import ModelAdmin
from schedules.admin.outlook import crontab_in_words
from schedules.admin.rule_forms import CrontabForm, IntervalForm, SolarForm

if TYPE_CHECKING:
    from django.forms import Select as SearchableSelect
else:
    from unfold.widgets import UnfoldAdminSelect2Widget as SearchableSelect

admin.site.unregister(
    [
        stock_admin.ClockedSchedule,
        stock_admin.CrontabSchedule,
        stock_admin.IntervalSchedule,
        stock_admin.SolarSchedule,
    ]
)


class RuleAdmin(ModelAdmin[Any]):
    """A rule in use is not deleted: its schedules would go with it."""

    kind: str
    actions = None
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of schedules that use each rule."""
        users = PeriodicTask.objects.filter(**{self.kind: OuterRef("pk")}).order_by().values(self.kind)
        uses = Coalesce(Subquery(users.values(n=Count("pk"))), 0)
        rules: QuerySet[Any] = super().get_queryset(request).annotate(uses=uses)
        return rules

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only for a rule that no schedule uses."""
        used = obj is not None and PeriodicTask.objects.filter(**{self.kind: obj}).exists()
        return not used and super().has_delete_permission(request, obj)

    @admin.display(description="used by")
    def used_by(self, rule: Any) -> str:
        """How many schedules use it, and the way to them."""
        if not rule.uses:
            return "no schedule"
        url = reverse("admin:django_celery_beat_periodictask_changelist")
        text = f"{rule.uses} schedule{'s' if rule.uses > 1 else ''}"
        return format_html('<a class="text-link" href="{}?{}__id__exact={}">{}</a>', url, self.kind, rule.pk, text)


@admin.register(IntervalSchedule)
class IntervalAdmin(RuleAdmin):
    """Every so often."""

    kind = "interval"
    form = IntervalForm
    list_display = ("__str__", "every", "period", "used_by")
    search_fields = ("every", "period")
    search_help_text = "Number or period, as in 5 minutes"


@admin.register(CrontabSchedule)
class CrontabAdmin(RuleAdmin):
    """At times of the day, week, month in a zone."""

    kind = "crontab"
    form = CrontabForm
    list_display = ("__str__", "words", "timezone", "used_by")
    search_fields = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week", "timezone")
    search_help_text = "Any field or the zone"
    fields = (("minute", "hour"), ("day_of_month", "month_of_year"), ("day_of_week", "timezone"))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The zone is found by typing: there are 600."""
        if db_field.name == "timezone":
            kwargs["widget"] = SearchableSelect()
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description="in words")
    def words(self, crontab: CrontabSchedule) -> str:
        """For a reader."""
        return crontab_in_words(crontab)


@admin.register(ClockedSchedule)
class ClockedAdmin(RuleAdmin):
    """Once, at an instant."""

    kind = "clocked"
    list_display = ("clocked_time", "used_by")
    search_fields = ("clocked_time",)
    search_help_text = "The beginning of an instant, as in 2026-12-31"


@admin.register(SolarSchedule)
class SolarAdmin(RuleAdmin):
    """By the sun, as it stands over a place."""

    kind = "solar"
    form = SolarForm
    list_display = ("event", "latitude", "longitude", "used_by")
    search_fields = ("event", "latitude", "longitude")
    search_help_text = "Event or place, as in sunrise 52.52"
