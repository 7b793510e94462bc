"""What the pages of this app have beyond the looks they share with those of `schedules`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from schedules.admin.base import M, ModelAdmin, ReadOnly, label

if TYPE_CHECKING:
    from django.contrib.admin import BooleanFieldListFilter as BooleanRadioFilter
    from django.contrib.admin import ChoicesFieldListFilter as ChoicesDropdownFilter
    from django.contrib.admin import SimpleListFilter as TextFilter
else:
    from unfold.contrib.filters.admin import BooleanRadioFilter, ChoicesDropdownFilter, TextFilter

_MOST_CHARACTERS = 10_000

__all__ = ["BooleanRadioFilter", "ChoicesDropdownFilter", "ExactFilter", "M", "ModelAdmin", "ReadOnly", "label"]


class ExactFilter(TextFilter):
    """The rows whose column `parameter_name` is what was typed: an index finds them among millions."""

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """All rows when nothing was typed."""
        typed = (self.value() or "").strip()
        return queryset.filter(**{str(self.parameter_name): typed}) if typed else queryset


def seconds(end: datetime | None, start: datetime | None) -> str:
    """From start to end."""
    return "-" if end is None or start is None else f"{(end - start) / timedelta(seconds=1):.3f} s"


def pretty_json(value: Any) -> SafeString:
    """Indented, at most 10,000 characters of it."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    left = len(text) - _MOST_CHARACTERS
    more = f"\n... and {left} characters more" if left > 0 else ""
    return format_html(
        '<pre class="font-mono text-xs whitespace-pre-wrap break-all">{}{}</pre>', text[:_MOST_CHARACTERS], more
    )
