"""The list of schedules: one query for the rows of a page, one for their last slots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest
from django_celery_beat.models import PeriodicTask

from schedules.admin.base import ChangeList
from schedules.admin.outlook import outlook
from schedules.models import Slot


class ScheduleList(ChangeList):
    """Gives each row of the page its `outlook` and its `last_slot`."""

    def get_results(self, request: HttpRequest) -> None:
        """One page of rows, ready to be shown."""
        super().get_results(request)
        rows = list(self.result_list)
        now = datetime.now(UTC)  # noqa: TID251 a page is an entry point
        slots = last_slots(rows)
        for row in rows:
            row.outlook = outlook(row, now)
            row.last_slot = slots.get(row.name)
        self.result_list = rows


def last_slots(rows: Sequence[PeriodicTask]) -> dict[str, Slot]:
    """The newest slot of each row that has one, by the schedule's name."""
    newest = Slot.objects.filter(schedule=OuterRef("name")).order_by("-scheduled_for").values("pk")[:1]
    ids = PeriodicTask.objects.filter(pk__in=[row.pk for row in rows]).values(newest=Subquery(newest))
    return {slot.schedule: slot for slot in Slot.objects.filter(pk__in=ids)}
