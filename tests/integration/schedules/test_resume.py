"""Pause and resume, with and without the time in between; and the pace of a long catch-up."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest
from django.core.exceptions import ValidationError
from django_celery_beat.models import PeriodicTask

from schedules.models import ScheduleOptions, Slot, SlotState
from schedules.publisher import Order
from schedules.registry.switch import set_enabled
from schedules.stamp import Trigger
from tests.support.passes import times
from tests.support.rows_beat import RowsBeat, cron_row, saved_row
from tests.support.rules import utc, utcs
from tests.support.schedules import NINE, seconds

pytestmark = pytest.mark.django_db

EVERY_HOUR = {"catch_up": "all", "catchup_window_seconds": 12 * 3600}


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def _switch(*, enabled: bool, at: datetime, catch_up: bool = False) -> None:
    """As the command and the admin do it; the times it has written are then set to the test's clock."""
    assert set_enabled(PeriodicTask.objects.get(), enabled=enabled, catch_up=catch_up)
    PeriodicTask.objects.update(date_changed=at)
    if catch_up:
        ScheduleOptions.objects.update(catch_up_resumed_at=at)


PAUSED, RESUMED = utc("2026-03-10T09:10"), utc("2026-03-10T11:30")


@pytest.mark.parametrize("restarted", [False, True])
def test_b24_a_resume_never_fires_for_the_paused_time(sent: list[Order], restarted: bool) -> None:
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR)
    beat = RowsBeat(sent)
    beat.run(NINE - seconds(1), PAUSED)
    _switch(enabled=False, at=PAUSED)
    beat.run(PAUSED + seconds(1), RESUMED)
    _switch(enabled=True, at=RESUMED)
    later = RowsBeat(sent, "restarted") if restarted else beat
    later.run(RESUMED + seconds(1), utc("2026-03-10T12:00"))
    assert times(sent) == utcs("2026-03-10T09:00", "2026-03-10T12:00")


@pytest.mark.parametrize("restarted", [False, True])
def test_a_resume_that_asks_for_the_paused_time_catches_up_by_the_policy(sent: list[Order], restarted: bool) -> None:
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR)
    beat = RowsBeat(sent)
    beat.run(NINE - seconds(1), PAUSED)
    _switch(enabled=False, at=PAUSED)
    beat.run(PAUSED + seconds(1), RESUMED)
    _switch(enabled=True, at=RESUMED, catch_up=True)
    later = RowsBeat(sent, "restarted") if restarted else beat
    later.run(RESUMED + seconds(1), utc("2026-03-10T12:00"))
    assert times(sent) == utcs("2026-03-10T09:00", "2026-03-10T10:00", "2026-03-10T11:00", "2026-03-10T12:00")
    assert [each.stamp.trigger for each in sent[1:]] == [Trigger.CATCHUP, Trigger.CATCHUP, Trigger.SCHEDULE]


def test_a_later_resume_without_catch_up_forgets_what_an_earlier_one_asked(sent: list[Order]) -> None:
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR)
    _switch(enabled=False, at=PAUSED)
    _switch(enabled=True, at=RESUMED, catch_up=True)
    _switch(enabled=False, at=RESUMED + seconds(60))
    _switch(enabled=True, at=utc("2026-03-10T14:30"))
    assert ScheduleOptions.objects.get().catch_up_from is None
    RowsBeat(sent).run(utc("2026-03-10T14:31"), utc("2026-03-10T15:00"))
    assert times(sent) == utcs("2026-03-10T15:00")


def test_an_edit_after_a_resume_with_catch_up_repeats_nothing(sent: list[Order]) -> None:
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR)
    beat = RowsBeat(sent)
    beat.run(NINE - seconds(1), PAUSED)
    _switch(enabled=False, at=PAUSED)
    beat.look(PAUSED + seconds(1))
    _switch(enabled=True, at=RESUMED, catch_up=True)
    beat.run(RESUMED + seconds(1), RESUMED + seconds(2))
    PeriodicTask.objects.update(priority=5, date_changed=RESUMED + seconds(10))
    beat.run(RESUMED + seconds(11), utc("2026-03-10T12:00"))
    RowsBeat(sent, "restarted").run(utc("2026-03-10T12:01"), utc("2026-03-10T13:00"))
    hours = ("09", "10", "11", "12", "13")
    assert times(sent) == [utc(f"2026-03-10T{hour}:00") for hour in hours]


@pytest.fixture
def caught_up(sent: list[Order]) -> RowsBeat:
    """A beat whose hourly schedule was paused from 09:10 to 11:30 and has caught up; it is 12:30."""
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR)
    beat = RowsBeat(sent)
    beat.run(NINE - seconds(1), PAUSED)
    _switch(enabled=False, at=PAUSED)
    beat.look(PAUSED + seconds(1))
    _switch(enabled=True, at=RESUMED, catch_up=True)
    beat.run(RESUMED + seconds(1), utc("2026-03-10T12:30"))
    sent.clear()
    return beat


def test_what_a_resume_asked_for_does_not_count_again_when_rows_are_switched_in_bulk(
    caught_up: RowsBeat, sent: list[Order]
) -> None:
    PeriodicTask.objects.update(enabled=False)
    caught_up.run(utc("2026-03-10T12:31"), utc("2026-03-10T14:30"))
    PeriodicTask.objects.update(enabled=True)
    caught_up.run(utc("2026-03-10T14:31"), utc("2026-03-10T15:00"))
    assert times(sent) == utcs("2026-03-10T15:00")


def _save_at(row: PeriodicTask, at: datetime) -> None:
    row.save()
    PeriodicTask.objects.update(date_changed=at)


@pytest.mark.parametrize("restarted", [False, True])
def test_what_a_resume_asked_for_does_not_count_for_a_rule_set_later(
    caught_up: RowsBeat, sent: list[Order], restarted: bool
) -> None:
    row = PeriodicTask.objects.get()
    row.crontab = cron_row("*/15 * * * *")
    _save_at(row, utc("2026-03-10T12:40"))
    beat = RowsBeat(sent, "restarted") if restarted else caught_up
    beat.run(utc("2026-03-10T12:41"), utc("2026-03-10T12:46"))
    assert times(sent) == utcs("2026-03-10T12:45")


@pytest.mark.parametrize("restarted", [False, True])
def test_what_a_resume_asked_for_does_not_count_for_a_later_pause_that_was_saved_otherwise(
    caught_up: RowsBeat, sent: list[Order], restarted: bool
) -> None:
    """By the admin's form or actions, or by code."""
    row = PeriodicTask.objects.get()
    row.enabled = False
    _save_at(row, utc("2026-03-10T12:40"))
    caught_up.run(utc("2026-03-10T12:41"), utc("2026-03-10T14:30"))
    row.enabled = True
    _save_at(row, utc("2026-03-10T14:30"))
    beat = RowsBeat(sent, "restarted") if restarted else caught_up
    beat.run(utc("2026-03-10T14:31"), utc("2026-03-10T15:00"))
    assert times(sent) == utcs("2026-03-10T15:00")


def test_a_resume_that_was_refused_asks_for_nothing() -> None:
    saved_row(crontab=cron_row("0 * * * *"), options=EVERY_HOUR, enabled=False)
    PeriodicTask.objects.update(task="unheard_of")
    with pytest.raises(ValidationError):
        set_enabled(PeriodicTask.objects.get(), enabled=True, catch_up=True)
    assert ScheduleOptions.objects.get().catch_up_from is None


def test_b17_b24_enabled_again_by_a_bulk_update_it_fires_for_nothing_in_between(sent: list[Order]) -> None:
    """The row does not say that it was off; the running beat saw it."""
    saved_row(options={"catch_up": "all"})
    beat = RowsBeat(sent)
    beat.run(NINE, NINE + seconds(15))
    PeriodicTask.objects.update(enabled=False)
    beat.run(NINE + seconds(16), NINE + seconds(45))
    PeriodicTask.objects.update(enabled=True)
    beat.run(NINE + seconds(46), NINE + seconds(60))
    assert times(sent) == [NINE + seconds(count) for count in (0, 10, 50, 60)]


@pytest.mark.parametrize("beats", [1, 2])
def test_a_pace_holds_the_missed_slots_apart_and_loses_none(sent: list[Order], beats: int) -> None:
    saved_row(saved_at=NINE, options={"catch_up": "all", "catchup_window_seconds": 600, "catchup_pace_seconds": 3})
    at: dict[datetime, datetime] = {}
    team = [RowsBeat(sent, f"beat-{n}") for n in range(beats)]
    for count in range(65, 160):
        for beat in team:
            before = len(sent)
            beat.look(NINE + seconds(count))
            at |= {order.stamp.scheduled_for: NINE + seconds(count) for order in sent[before:]}
    assert times(sent) == [NINE + seconds(10 * n) for n in range(1, 16)]
    missed = [at[NINE + seconds(10 * n)] for n in range(1, 7)]
    assert all(later - earlier >= seconds(3) for earlier, later in pairwise(missed))
    assert set(Slot.objects.values_list("state", flat=True)) == {SlotState.DISPATCHED}


def test_a_pace_keeps_to_the_window_of_each_slot(sent: list[Order]) -> None:
    """What grows too old while it waits its turn is skipped and explained."""
    saved_row(saved_at=NINE, options={"catch_up": "all", "catchup_window_seconds": 60, "catchup_pace_seconds": 20})
    RowsBeat(sent).run(NINE + seconds(61), NINE + seconds(130))
    accounted = Slot.objects.order_by("scheduled_for").values_list("scheduled_for", "state")
    assert [instant for instant, _ in accounted][:3] == [NINE + seconds(count) for count in (10, 20, 30)]
    assert {state for _, state in accounted} == {SlotState.DISPATCHED, SlotState.SKIPPED}
    assert times(sent) == [instant for instant, state in accounted if state == SlotState.DISPATCHED]
