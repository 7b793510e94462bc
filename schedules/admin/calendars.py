"""The page of a calendar: its dates one a row, and a field to paste many."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from schedules.admin.base import ModelAdmin, TabularInline
from schedules.models import Calendar, CalendarDate, ScheduleOptions

if TYPE_CHECKING:
    from django.forms import Textarea

    _Form = forms.ModelForm[Calendar]
else:
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea

    _Form = forms.ModelForm

_MOST_NAMED = 5


class PastedDates(forms.CharField):
    """Dates as a person pastes them: one a line, a note may follow each."""

    def clean(self, value: Any) -> dict[date, str]:
        """Notes by date. Raises ValidationError, which names the lines that hold no date."""
        lines = enumerate(str(super().clean(value) or "").splitlines(), start=1)
        filled = [(number, line.strip()) for number, line in lines if line.strip()]
        found = {number: _date_and_note(line) for number, line in filled}
        wrong = [f"line {number}: {line!r:.40}" for number, line in filled if found[number] is None]
        if wrong:
            more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
            places = ", ".join(wrong[:_MOST_NAMED])
            raise ValidationError(f"No date in {places}{more}: write each as in 2026-12-25, with a short note or none.")
        return dict(pair for pair in found.values() if pair is not None)


class CalendarForm(_Form):
    """The name, and dates to add."""

    more_dates = PastedDates(
        required=False,
        label="Add dates",
        widget=Textarea(attrs={"rows": 6, "placeholder": "2026-12-25 Christmas Day\n2027-01-01"}),
        help_text="One a line, as in 2026-12-25; a note may follow. Dates that are there already stay as they are.",
    )

    class Meta:
        model = Calendar
        fields = ("name",)


class DatesInline(TabularInline[CalendarDate, Calendar]):
    """A page of dates at a time: a POST with every date of many years would be refused for its size."""

    model = CalendarDate
    fields = ("date", "note")
    extra = 0
    per_page = 50


@admin.register(Calendar)
class CalendarAdmin(ModelAdmin[Calendar]):
    """A calendar in use is not deleted."""

    form = CalendarForm
    inlines = (DatesInline,)
    actions = None
    list_display = ("name", "number_of_dates", "next_date", "used_by")
    ordering = ("name",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("name",)
    search_help_text = "Name"

    def get_fields(self, request: HttpRequest, obj: Calendar | None = None) -> Any:
        """Who may only look has nothing to add."""
        may_edit = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        return ["name", "more_dates"] if may_edit else ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Calendar]:
        """With what the list tells about each."""
        users = ScheduleOptions.objects.filter(calendar=OuterRef("pk")).order_by().values("calendar")
        today = datetime.now(UTC).date()  # noqa: TID251 a page is an entry point
        return (
            super()
            .get_queryset(request)
            .annotate(
                number=Count("dates"),
                coming=Min("dates__date", filter=Q(dates__date__gte=today)),
                uses=Coalesce(Subquery(users.values(n=Count("pk"))), 0),
            )
        )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The rows as they were edited, then the pasted dates that are not there yet."""
        super().save_related(request, form, formsets, change)
        pasted = form.cleaned_data["more_dates"]
        rows = [CalendarDate(calendar=form.instance, date=day, note=note) for day, note in pasted.items()]
        CalendarDate.objects.bulk_create(rows, ignore_conflicts=True)

    def has_delete_permission(self, request: HttpRequest, obj: Calendar | None = None) -> bool:
        """Only for a calendar on which no schedule rests."""
        used = obj is not None and ScheduleOptions.objects.filter(calendar=obj).exists()
        return not used and super().has_delete_permission(request, obj)

    @admin.display(description="dates")
    def number_of_dates(self, calendar: Any) -> int:
        """How many it has."""
        return int(calendar.number)

    @admin.display(description="next date", empty_value="none to come")
    def next_date(self, calendar: Any) -> date | None:
        """Today or later, in UTC."""
        coming: date | None = calendar.coming
        return coming

    @admin.display(description="used by")
    def used_by(self, calendar: Any) -> str:
        """How many schedules rest on it."""
        return f"{calendar.uses} schedule{'' if calendar.uses == 1 else 's'}"


def _date_and_note(line: str) -> tuple[date, str] | None:
    text, _, note = line.replace("\t", " ").partition(" ")
    if len(note.strip()) > (CalendarDate._meta.get_field("note").max_length or 0):
        return None
    try:
        return date.fromisoformat(text), note.strip()
    except ValueError:
        return None
