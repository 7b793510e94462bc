"""A schedule's options on its own page: always shown, judged together with the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django.db.models import Field
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django_celery_beat.models import PeriodicTask

from schedules.admin.base import StackedInline
from schedules.models import ScheduleOptions
from schedules.registry.faults import option_faults

if TYPE_CHECKING:
    from django.forms import ModelForm
    from django.forms import Select as SearchableSelect

    _FormSet = BaseInlineFormSet[ScheduleOptions, PeriodicTask, ModelForm[ScheduleOptions]]
else:
    from unfold.widgets import UnfoldAdminSelect2Widget as SearchableSelect

    _FormSet = BaseInlineFormSet

_NO_ZONE = "none: equal steps of real time"


class OptionsFormSet(_FormSet):
    """The one form of the options, saved with its schedule in one POST."""

    def clean(self) -> None:
        """Refuses, at its field, an option with which the schedule cannot run."""
        super().clean()
        if any(self.errors):
            return
        # Django has tied the two together, so that the refusal at save() reads these options and not the stored ones.
        row, form = self.instance, self.forms[0]
        for field, sentence in option_faults(row, form.instance).items() if row.enabled else ():
            form.add_error(field or None, sentence)


class OptionsInline(StackedInline[ScheduleOptions, PeriodicTask]):
    """One-to-one: exactly one form, and nothing to delete."""

    model = ScheduleOptions
    formset = OptionsFormSet
    min_num = max_num = 1
    extra = 0
    can_delete = False
    autocomplete_fields = ("calendar",)
    fieldsets = (
        (
            "Missed slots",
            {
                "fields": (("catch_up", "catchup_window_seconds"), ("catchup_limit", "catchup_pace_seconds")),
                "description": "What happens after a time in which no beat could dispatch.",
            },
        ),
        ("Runs", {"fields": (("overlap", "lease_seconds"),)}),
        (
            "Finer than a crontab",
            {
                "fields": (("seconds", "month_day"),),
                "description": "For crontabs only; both narrow what the crontab says.",
            },
        ),
        (
            "Days and clocks",
            {
                "fields": (("calendar", "interval_zone"),),
                "description": "Days begin in the zone of the crontab or of the interval, else in UTC.",
            },
        ),
        (
            "Spread and end",
            {
                "fields": (("jitter_seconds", "max_runs"), "ends_at"),
                "description": "The fire time that a slot is named after does not move by the spread.",
            },
        ),
    )

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """The zone is found by typing: there are 600."""
        if db_field.name == "interval_zone":
            choices = [("", _NO_ZONE), *((zone, zone) for zone in sorted(available_timezones()))]
            kwargs["widget"] = SearchableSelect(choices=choices)
        return super().formfield_for_dbfield(db_field, request, **kwargs)
