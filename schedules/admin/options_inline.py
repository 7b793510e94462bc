"""A schedule's options on its own page: always shown, judged together with the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.forms import BaseInlineFormSet
from django_celery_beat.models import PeriodicTask

from schedules.admin.base import StackedInline
from schedules.admin.outlook import problem_of
from schedules.models import ScheduleOptions

if TYPE_CHECKING:
    from django.forms import ModelForm

    _FormSet = BaseInlineFormSet[ScheduleOptions, PeriodicTask, ModelForm[ScheduleOptions]]
else:
    _FormSet = BaseInlineFormSet


class OptionsFormSet(_FormSet):
    """The one form of the options, saved with its schedule in one POST."""

    def clean(self) -> None:
        """Refuses options with which the schedule cannot run; its own faults stand at its own fields."""
        super().clean()
        if any(self.errors):
            return
        # Django has tied the two together, so that the refusal at save() reads these options and not the stored ones.
        row, options = self.instance, self.forms[0].instance
        if row.enabled and not problem_of(row, ScheduleOptions()) and (problem := problem_of(row, options)):
            raise ValidationError(problem)


class OptionsInline(StackedInline[ScheduleOptions, PeriodicTask]):
    """One-to-one: exactly one form, and nothing to delete."""

    model = ScheduleOptions
    formset = OptionsFormSet
    min_num = max_num = 1
    extra = 0
    can_delete = False
    fields = (("catch_up", "overlap"), ("catchup_window_seconds", "catchup_limit"), "lease_seconds")
