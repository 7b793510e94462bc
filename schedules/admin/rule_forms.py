"""The forms of rules: a rule that could never fire is refused at its field, whichever schedule uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import Model
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from schedules.admin.outlook import KINDS, problem_of
from schedules.registry.faults import CRONTAB_FIELDS, crontab_faults, solar_faults
from schedules.rules import interval_of
from schedules.timing.rule import InvalidRule

M = TypeVar("M", bound=Model)

if TYPE_CHECKING:
    _RuleForm = forms.ModelForm
else:

    class _RuleForm(forms.ModelForm):
        """Lets a form name its model, as in _RuleForm[SolarSchedule]; at run time that changes nothing."""

        def __class_getitem__(cls, _model: object) -> type:
            return cls


# A rule is judged with so many of the schedules that use it; the rest would be shown as invalid.
_MOST_USERS = 500


class RuleForm(_RuleForm[M]):
    """Refuses a rule that cannot fire, and a change with which a schedule that could run no longer could."""

    kind: str

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's hook behind the model's own checks; the stubs leave it out
        if self.instance.pk and not self.errors:
            self._refuse_a_change_that_stops_a_schedule()

    def _refuse_a_change_that_stops_a_schedule(self) -> None:
        users = PeriodicTask.objects.filter(enabled=True, **{self.kind: self.instance.pk}).order_by("name")
        rows = users.select_related(*KINDS, "slotbeat__calendar").prefetch_related("slotbeat__calendar__dates")
        for row in rows[:_MOST_USERS]:
            before = problem_of(row)
            setattr(row, self.kind, self.instance)
            if not before and (problem := problem_of(row)):
                self.add_error(None, f"The schedule {row.name!r} uses this rule and could not run: {problem}")
                return

    def _refuse(self, faults: dict[str, str]) -> None:
        for field, sentence in faults.items():
            self.add_error(field, sentence)


class CrontabForm(RuleForm[CrontabSchedule]):
    """Takes exactly the crontabs that the beat reads."""

    kind = "crontab"

    class Meta:
        model = CrontabSchedule
        fields = (*CRONTAB_FIELDS, "timezone")
        help_texts = {
            "minute": "0-59: a number, a list (0,30), a range (50-10), a step (*/15), or * for each.",
            "hour": "0-23, written likewise; 22-2 goes past midnight.",
            "day_of_month": "1-31; a month without that day is left out. The last day is an option of the schedule.",
            "month_of_year": "1-12 or jan-dec; nov-feb goes past the year's end.",
            "day_of_week": "0-7 or sun-sat, Sunday is 0 and 7; fri-mon is a range too. With a day of the month, "
            "both must hold.",
            "timezone": "The zone whose clocks count.",
        }

    def clean(self) -> dict[str, Any]:
        """Each field for itself, then the date they make together."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        given = {field: cleaned[field] for field in CRONTAB_FIELDS if field in cleaned}
        self._refuse(crontab_faults(given, ZoneInfo(str(cleaned.get("timezone", "UTC")))))
        return cleaned

    def _get_validation_exclusions(self) -> set[str]:
        """Keeps out the row's own checks, which differ from what the beat reads."""
        return super()._get_validation_exclusions() | set(CRONTAB_FIELDS)  # type: ignore[misc,no-any-return] # not in the stubs


class IntervalForm(RuleForm[IntervalSchedule]):
    """Takes steps from 100 milliseconds to 100 years."""

    kind = "interval"

    class Meta:
        model = IntervalSchedule
        fields = ("every", "period")

    def clean(self) -> dict[str, Any]:
        """The step as a whole."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "every" in cleaned and "period" in cleaned:
            try:
                interval_of(cleaned["every"], cleaned["period"])
            except InvalidRule as error:
                self.add_error("every", str(error))
        return cleaned


class SolarForm(RuleForm[SolarSchedule]):
    """Takes places on Earth."""

    kind = "solar"

    class Meta:
        model = SolarSchedule
        fields = ("event", "latitude", "longitude")
        help_texts = {
            "event": "It may not happen on every day: near the poles the sun stays up, or away, for weeks.",
            "latitude": "Degrees from -90 (south) to 90 (north).",
            "longitude": "Degrees from -180 (west) to 180 (east).",
        }

    def clean(self) -> dict[str, Any]:
        """Each field for itself; those that could not be read are refused already."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        place = {name: float(cleaned.get(name) or 0) for name in ("latitude", "longitude")}
        faults = solar_faults(cleaned.get("event", ""), **place)
        self._refuse({name: sentence for name, sentence in faults.items() if name in cleaned})
        return cleaned
