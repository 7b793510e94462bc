"""The forms of rules: a rule that could never fire is refused at its field, whichever schedule uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django import forms
from django_celery_beat.models import CrontabSchedule, IntervalSchedule

from schedules.definitions import interval_of
from schedules.timing.crontab import Crontab
from schedules.timing.rule import InvalidRule

if TYPE_CHECKING:
    _CrontabForm = forms.ModelForm[CrontabSchedule]
    _IntervalForm = forms.ModelForm[IntervalSchedule]
else:
    _CrontabForm = _IntervalForm = forms.ModelForm

_CRONTAB_FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")


class CrontabForm(_CrontabForm):
    """Reads a crontab as the beat will."""

    class Meta:
        model = CrontabSchedule
        fields = (*_CRONTAB_FIELDS, "timezone")

    def clean(self) -> dict[str, Any]:
        """Each field for itself, then the date they make together."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        given = {field: cleaned[field] for field in _CRONTAB_FIELDS if field in cleaned}
        for field, text in given.items():
            self._refuse_unreadable(field, {field: text})
        if not self.errors:
            self._refuse_unreadable("day_of_month", {**given, "zone": ZoneInfo(str(cleaned["timezone"]))})
        return cleaned

    def _refuse_unreadable(self, field: str, crontab: dict[str, Any]) -> None:
        try:
            Crontab(**crontab)
        except InvalidRule as error:
            self.add_error(field, str(error))


class IntervalForm(_IntervalForm):
    """Takes steps from 100 milliseconds to what a calendar holds."""

    class Meta:
        model = IntervalSchedule
        fields = ("every", "period")

    def clean(self) -> dict[str, Any]:
        """The step as a whole."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "every" in cleaned and "period" in cleaned:
            self._refuse_unfit(cleaned["every"], cleaned["period"])
        return cleaned

    def _refuse_unfit(self, every: int, period: str) -> None:
        try:
            interval_of(every, period)
        except InvalidRule as error:
            self.add_error("every", str(error))
