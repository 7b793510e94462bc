"""The form of a schedule: what could never run is refused here, at the field that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from schedules.admin.outlook import kind_of, reason
from schedules.definitions import define
from schedules.models import ScheduleOptions
from schedules.rules import rule_of
from schedules.validation import known_queues, known_tasks, unknown_queue, unknown_task, validate

if TYPE_CHECKING:
    from django.forms import Select as SearchableSelect
    from django.forms import Textarea as GrowingTextarea

    _Form = forms.ModelForm[PeriodicTask]
else:
    from unfold.widgets import UnfoldAdminExpandableTextareaWidget as GrowingTextarea
    from unfold.widgets import UnfoldAdminSelect2Widget as SearchableSelect

    _Form = forms.ModelForm

_TYPED_IN = {"data-tags": "true"}  # select2 then takes a value that is not in the list
_EMPTY_JSON = {"args": "[]", "kwargs": "{}", "headers": "{}"}


class OpenChoiceField(forms.ChoiceField):
    """Offers choices and takes other values too: the form itself says why one of them cannot be."""

    def valid_value(self, _value: Any) -> bool:
        """Judged by the form, with a better message."""
        return True


class ScheduleForm(_Form):
    """Refuses an enabled schedule that cannot run; a disabled one may wait half-made, but its JSON must be JSON."""

    task = OpenChoiceField(
        widget=SearchableSelect(attrs=_TYPED_IN),
        help_text="A task of this project, or one that SLOTBEAT_EXTRA_TASKS names: choose it or type it in.",
    )
    queue = OpenChoiceField(
        widget=SearchableSelect(),
        required=False,
        help_text="Only queues that are declared, and so read by a worker.",
    )

    class Meta:
        model = PeriodicTask
        exclude = ()
        widgets = dict.fromkeys(("description", "args", "kwargs", "headers"), GrowingTextarea)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer("task", "", known_tasks())
        self._offer("queue", "the task's own queue", known_queues())

    def clean_args(self) -> str:
        """A JSON array."""
        return self._clean_json("args")

    def clean_kwargs(self) -> str:
        """A JSON object."""
        return self._clean_json("kwargs")

    def clean_headers(self) -> str:
        """A JSON object."""
        return self._clean_json("headers")

    def clean(self) -> dict[str, Any]:
        """What can be said without the rule: unknown names, two kinds of expiry."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("enabled") and cleaned.get("task"):
            self._note("task", unknown_task(cleaned["task"]))
        if cleaned.get("enabled"):
            self._note("queue", unknown_queue(cleaned.get("queue")))
        if cleaned.get("expires") and cleaned.get("expire_seconds") is not None:
            self._note("expire_seconds", "Set either this or the instant at which the schedule expires, not both.")
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's hook behind the model's own checks; the stubs leave it out
        if not self.errors and self.instance.enabled:
            self._refuse_what_cannot_run()

    def _refuse_what_cannot_run(self) -> None:
        try:
            rule_of(self.instance, ScheduleOptions())  # its options are judged in their own form
            validate(self.instance, ScheduleOptions())
        except ValidationError as error:
            self.add_error(None, error)
        except ValueError as error:
            self.add_error(kind_of(self.instance) or None, reason(error))

    def _clean_json(self, field: str) -> str:
        text: str = self.cleaned_data[field] or _EMPTY_JSON[field]
        hourly = IntervalSchedule(every=1, period=IntervalSchedule.HOURS)
        try:
            define(PeriodicTask(interval=hourly, **{field: text}))
        except ValueError as error:
            raise ValidationError(str(error)) from error
        return text

    def _note(self, field: str, problem: str) -> None:
        if problem:
            self.add_error(field, problem)

    def _offer(self, field: str, blank: str, names: list[str]) -> None:
        if field not in self.fields:
            return
        current = self[field].value() or ""
        others = [] if not current or current in names else [(current, f"{current} (unknown)")]
        choices = [("", blank), *((name, name) for name in names), *others]
        self.fields[field].choices = choices  # type: ignore[attr-defined] # it is an OpenChoiceField, see above
