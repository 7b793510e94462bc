"""The options of a schedule's timing, from its row through the reader and a beat with the test's clock to the slots."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django_celery_beat.models import ClockedSchedule, PeriodicTask, SolarSchedule

from schedules.models import Calendar, CalendarDate, Slot, SlotState
from schedules.publisher import Order
from schedules.reader import Reader
from schedules.stamp import Trigger, slot_id
from schedules.timing.jitter import offset_of
from tests.support.passes import times
from tests.support.rows_beat import RowsBeat, cron_row, saved_row
from tests.support.rules import utc, utcs
from tests.support.schedules import NINE, every, seconds

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def test_a_seconds_field_fires_within_the_minute(sent: list[Order]) -> None:
    saved_row(crontab=cron_row("0 9 * * *"), options={"seconds": "10,*/25"})
    RowsBeat(sent).run(NINE - seconds(5), NINE + seconds(120))
    assert times(sent) == [NINE + seconds(count) for count in (0, 10, 25, 50)]
    assert {each.stamp.trigger for each in sent} == {Trigger.SCHEDULE}


def test_b11_a_day_by_name_in_the_rows_zone(sent: list[Order]) -> None:
    saved_row(
        "a", utc("2026-02-01"), crontab=cron_row("30 23 * * *", "Europe/Madrid"), options={"month_day": "last day"}
    )
    RowsBeat(sent).run(utc("2026-02-01"), utc("2026-04-30"))
    assert times(sent) == utcs("2026-02-28T22:30", "2026-03-31T21:30")


def test_b18_distant_zones_fire_without_an_edit_for_a_day(sent: list[Order]) -> None:
    saved_row("far", utc("2026-07-15T10:00"), crontab=cron_row("0 7 * * *", "America/Los_Angeles"))
    saved_row("odd", utc("2026-07-15T10:00"), crontab=cron_row("15 20 * * *", "Asia/Kathmandu"))
    RowsBeat(sent).run(utc("2026-07-15T10:00"), utc("2026-07-16T10:00"))
    assert times(sent, "far") == utcs("2026-07-15T14:00")
    assert times(sent, "odd") == utcs("2026-07-15T14:30")


@pytest.mark.parametrize("fields", [{"expires": NINE + seconds(35)}, {"options": {"ends_at": NINE + seconds(35)}}])
def test_b28_nothing_is_sent_after_the_end_and_three_are_counted(sent: list[Order], fields: dict[str, Any]) -> None:
    saved_row(saved_at=NINE, start_time=NINE, **fields)
    RowsBeat(sent).run(NINE + seconds(1), NINE + seconds(300))
    assert times(sent) == [NINE + seconds(count) for count in (10, 20, 30)]
    assert PeriodicTask.objects.get().total_run_count == 3


def test_the_start_is_inclusive_the_end_exclusive_and_the_earlier_end_counts(sent: list[Order]) -> None:
    bounds = {"start_time": NINE + seconds(20), "expires": NINE + seconds(40)}
    saved_row("a", **bounds, options={"ends_at": NINE + seconds(50)})
    saved_row("b", start_time=NINE + seconds(20), expires=NINE + seconds(50), options={"ends_at": NINE + seconds(30)})
    RowsBeat(sent).run(NINE, NINE + seconds(300))
    assert times(sent, "a") == [NINE + seconds(20), NINE + seconds(30)]
    assert times(sent, "b") == [NINE + seconds(20)]


def test_b26_a_start_time_is_a_bound_and_no_fire_time_but_for_intervals(sent: list[Order]) -> None:
    saved_row("a", NINE, crontab=cron_row("0 15 * * *"), start_time=utc("2026-03-10T08:58"))
    saved_row("b", NINE, interval=every(1, "hours"), start_time=utc("2026-03-10T09:30"))
    saved_row("c", NINE, crontab=cron_row("0 * * * *"), start_time=utc("2026-03-12T00:00"))
    RowsBeat(sent).run(NINE, utc("2026-03-10T11:59"))
    assert times(sent, "a") == []
    assert times(sent, "b") == utcs("2026-03-10T09:30", "2026-03-10T10:30", "2026-03-10T11:30")
    RowsBeat(sent, "later").run(utc("2026-03-10T14:59"), utc("2026-03-12T01:00"))
    assert times(sent, "a") == utcs("2026-03-10T15:00", "2026-03-11T15:00")
    assert times(sent, "c") == utcs("2026-03-12T00:00", "2026-03-12T01:00")


def test_dates_of_a_calendar_rest_in_the_rows_zone_and_new_ones_count_at_once(sent: list[Order]) -> None:
    calendar = Calendar.objects.create(name="holidays")
    midnight = cron_row("0 0 * * *", "Pacific/Auckland")
    saved_row("a", utc("2026-07-01"), crontab=midnight, options={"calendar": calendar})
    saved_row("other", utc("2026-07-01"), crontab=midnight)
    beat = RowsBeat(sent)
    beat.run(utc("2026-07-01T00:00"), utc("2026-07-02T00:00"))
    CalendarDate.objects.bulk_create(CalendarDate(calendar=calendar, date=date(2026, 7, day)) for day in (3, 4))
    beat.run(utc("2026-07-02T00:00:01"), utc("2026-07-05T00:00"))
    assert times(sent) == utcs("2026-07-01T12:00", "2026-07-04T12:00")
    assert times(sent, "other") == utcs("2026-07-01T12:00", "2026-07-02T12:00", "2026-07-03T12:00", "2026-07-04T12:00")
    CalendarDate.objects.all().delete()
    beat.run(utc("2026-07-05T00:00:01"), utc("2026-07-05T13:00"))
    assert times(sent)[-1] == utc("2026-07-05T12:00")


def test_a_calendar_date_taken_back_does_not_fire_for_the_past(sent: list[Order]) -> None:
    calendar = Calendar.objects.create(name="holidays")
    CalendarDate.objects.create(calendar=calendar, date=date(2026, 3, 10))
    saved_row(options={"calendar": calendar, "catch_up": "all"})
    beat = RowsBeat(sent)
    beat.run(NINE, NINE + seconds(60))
    CalendarDate.objects.all().delete()
    beat.run(NINE + seconds(65), NINE + seconds(80))
    assert times(sent) == [NINE + seconds(70), NINE + seconds(80)]


def test_jitter_moves_the_hand_over_and_leaves_the_slot_its_time(sent: list[Order]) -> None:
    saved_row("nightly", crontab=cron_row("0 9 * * *"), options={"jitter_seconds": 60, "catch_up": "skip"})
    beat, offset = RowsBeat(sent), offset_of("nightly", timedelta(seconds=60))
    assert offset > seconds(6)
    beat.look(NINE - seconds(1))
    assert beat.dispatch.next_time() == NINE + offset
    beat.look(NINE + offset - seconds(0.001))
    assert sent == []
    beat.look(NINE + offset + seconds(4))
    (order,) = sent
    assert (order.stamp.slot_id, order.stamp.scheduled_for) == (slot_id("nightly", NINE), NINE)
    assert order.stamp.trigger is Trigger.SCHEDULE
    slot = Slot.objects.get()
    assert (slot.scheduled_for, slot.dispatched_at) == (NINE, NINE + offset + seconds(4))


def test_with_jitter_too_a_slot_that_is_late_beyond_its_offset_is_missed(sent: list[Order]) -> None:
    saved_row("nightly", crontab=cron_row("0 9 * * *"), options={"jitter_seconds": 60, "catch_up": "skip"})
    beat = RowsBeat(sent)
    beat.look(NINE - seconds(1))
    beat.look(NINE + offset_of("nightly", timedelta(seconds=60)) + seconds(6))
    assert sent == []
    assert Slot.objects.get().state == SlotState.SKIPPED


def test_two_beats_with_jitter_send_each_slot_once(sent: list[Order]) -> None:
    saved_row("a", interval=every(60), options={"jitter_seconds": 50})
    beats = [RowsBeat(sent, owner) for owner in ("beat-a", "beat-b")]
    for count in range(0, 300, 5):
        for beat in beats:
            beat.look(NINE + seconds(count))
    assert times(sent) == [NINE + seconds(60 * n) for n in range(5)][: len(sent)]
    assert len(sent) >= 4


def test_an_interval_of_days_follows_the_clocks_of_its_zone(sent: list[Order]) -> None:
    start = utc("2026-03-28T07:00")
    saved_row("wall", interval=every(1, "days"), start_time=start, options={"interval_zone": "Europe/Berlin"})
    saved_row("plain", interval=every(1, "days"), start_time=start)
    RowsBeat(sent).run(utc("2026-03-28T06:00"), utc("2026-03-30T12:00"))
    assert times(sent, "wall") == utcs("2026-03-28T07:00", "2026-03-29T06:00", "2026-03-30T06:00")
    assert times(sent, "plain") == utcs("2026-03-28T07:00", "2026-03-29T07:00", "2026-03-30T07:00")


def test_a_clocked_row_fires_at_its_instant(sent: list[Order]) -> None:
    saved_row(clocked=ClockedSchedule.objects.create(clocked_time=NINE), one_off=True)
    RowsBeat(sent).run(NINE - seconds(60), NINE + seconds(60))
    assert times(sent) == [NINE]


def test_b16_a_polar_summer_is_silent_and_disturbs_no_other(sent: list[Order]) -> None:
    sun = SolarSchedule.objects.create(event="sunrise", latitude="69.65", longitude="18.96")
    saved_row("sun", utc("2026-06-20T23:00"), solar=sun)
    saved_row("steady", utc("2026-06-20T23:00"), interval=every(12, "hours"))
    RowsBeat(sent).run(utc("2026-06-21T00:00"), utc("2026-07-28T00:00"))
    first = times(sent, "sun")[0]
    assert utc("2026-07-25T00:00") < first < utc("2026-07-27T06:00")
    assert len(times(sent, "steady")) == 2 * 37 + 1


@pytest.mark.parametrize(
    ("kind", "options", "telling"),
    [
        ({}, {"seconds": "0,30"}, "seconds '0,30' belongs to a schedule with crontab"),
        ({}, {"month_day": "last day"}, "month_day 'last day' belongs to a schedule with crontab"),
        ({"crontab": "0 9 * * *"}, {"interval_zone": "Europe/Berlin"}, "belongs to a schedule with interval"),
        ({}, {"interval_zone": "Europe/Berlin"}, "only one of days does"),
        ({}, {"jitter_seconds": 10}, "jitter_seconds 10 is not shorter than the time between two slots"),
        ({"crontab": "0 9 * * *"}, {"seconds": "60"}, "seconds '60' cannot be read: 60 is outside 0-59"),
        ({"crontab": "0 9 * * *"}, {"month_day": "2nd day"}, "day '2nd day' cannot be read"),
        ({"crontab": "0 9 1-7 * *"}, {"month_day": "last fri"}, "never comes"),
    ],
)
def test_options_that_make_no_sense_are_a_reason_and_the_others_go_on(
    kind: dict[str, str], options: dict[str, Any], telling: str
) -> None:
    saved_row("healthy")
    fields: dict[str, Any] = {name: cron_row(text) for name, text in kind.items()}
    saved_row("broken", enabled=False, options=options, **fields)
    PeriodicTask.objects.filter(name="broken").update(enabled=True)
    definitions, rejected = Reader().read()
    assert list(definitions) == ["healthy"]
    assert telling in rejected["broken"].reason
