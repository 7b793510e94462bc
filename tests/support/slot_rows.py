"""Ledger rows for tests that read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from schedules.models import Slot, SlotState
from schedules.stamp import slot_id

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_slots(names: list[str], instant: datetime) -> None:
    Slot.objects.bulk_create(
        Slot(
            slot_id=slot_id(name, instant),
            schedule=name,
            scheduled_for=instant,
            state=SlotState.DONE,
            dispatched_at=instant + timedelta(milliseconds=12),
            started_at=instant + timedelta(seconds=1),
            finished_at=instant + timedelta(seconds=3),
        )
        for name in names
    )


def make_slots_of_one(count: int) -> None:
    for number in range(count):
        make_slots(["nightly"], NOON + timedelta(days=number))
