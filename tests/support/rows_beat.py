"""A beat that reads its rows from the database at each pass, with a clock that the test turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django_celery_beat.models import CrontabSchedule, PeriodicTask

from schedules.conf import Conf
from schedules.dispatch import Dispatch
from schedules.guard import Guard
from schedules.ledger import Ledger, end_one_offs, last_slots
from schedules.plan import Plan
from schedules.publisher import Order
from schedules.reader import Reader
from schedules.redis import client
from tests.support.schedules import NINE, schedule_row, seconds

BEFORE_NINE = NINE - seconds(5)


class RowsBeat:
    """A beat from its start: a plan that begins at the ledger's last slots; `sent` is what reached the broker."""

    def __init__(self, sent: list[Order], owner: str = "beat-a") -> None:
        self.sent = sent
        conf = Conf()
        end_one_offs()
        self.reader = Reader()
        self.plan = Plan(last_slots())
        self.ledger = Ledger(owner, capacity=10_000)
        self.dispatch = Dispatch(self.plan, Guard(client(), owner, conf), self._publish, self.ledger, conf)

    def look(self, now: datetime) -> bool:
        """Rows read, one pass, ledger written: what a tick does."""
        definitions, rejected = self.reader.read()
        assert rejected == {}
        self.plan.refresh(definitions, now)
        handed_over = self.dispatch.run_pass(now)
        assert self.ledger.flush()
        return handed_over

    def run(self, start: datetime, end: datetime) -> None:
        """A look at the start, then one whenever something is due, and one at the end."""
        self.look(start)
        while (due_at := self.dispatch.next_time()) is not None and due_at <= end:
            self.look(max(start, due_at))
        self.look(end)

    def _publish(self, orders: Sequence[Order]) -> None:
        self.sent += orders


def saved_row(name: str = "a", saved_at: datetime = BEFORE_NINE, **fields: Any) -> PeriodicTask:
    """A schedule whose row was last saved at `saved_at`; each run may overlap the one before."""
    fields["options"] = {"overlap": "allow_all", **fields.get("options", {})}
    row = schedule_row(name, **fields)
    PeriodicTask.objects.filter(pk=row.pk).update(date_changed=saved_at)
    row.refresh_from_db()
    return row


def cron_row(expression: str, zone: str = "UTC") -> CrontabSchedule:
    """The row of a crontab."""
    minute, hour, day, month, weekday = expression.split()
    row: CrontabSchedule = CrontabSchedule.objects.create(
        minute=minute, hour=hour, day_of_month=day, month_of_year=month, day_of_week=weekday, timezone=zone
    )
    return row
