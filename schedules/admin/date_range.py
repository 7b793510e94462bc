"""Records between two instants, as a person types them, in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.admin import FieldListFilter as RangeDateTimeFilter
else:
    from unfold.contrib.filters.admin import RangeDateTimeFilter


class InstantRangeFilter(RangeDateTimeFilter):
    """From and to, both inclusive; a day without a time is the whole day."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The records inside. Raises IncorrectLookupParameters, which the list answers with a note."""
        bounds = {"gte": self._instant("from", time.min), "lte": self._instant("to", time.max)}
        return queryset.filter(
            **{f"{self.field_path}__{side}": instant for side, instant in bounds.items() if instant is not None}
        )

    def _instant(self, side: str, default: time) -> datetime | None:
        day = self.used_parameters.get(f"{self.field_path}_{side}_0")
        moment = self.used_parameters.get(f"{self.field_path}_{side}_1")
        if not day:
            return None
        try:
            clock = time.fromisoformat(str(moment)) if moment else default
            return datetime.combine(date.fromisoformat(str(day)), clock, tzinfo=UTC)
        except ValueError as error:
            raise IncorrectLookupParameters(f"{day} {moment} is not an instant: write 2026-12-31 23:59:59") from error
