"""The options of a schedule on its page: what makes no sense together is refused at its field, the rest is saved."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from schedules.models import Calendar, ScheduleOptions
from tests.support.admin_pages import add_url, get, row_url, sign_in
from tests.support.schedules import SYNC_FEED, TASK, schedule_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def crontab() -> CrontabSchedule:
    return CrontabSchedule.objects.create(minute="0", hour="6", timezone="Europe/Berlin")


@pytest.fixture
def hourly() -> IntervalSchedule:
    return IntervalSchedule.objects.create(every=1, period="hours")


@pytest.fixture
def daily() -> IntervalSchedule:
    return IntervalSchedule.objects.create(every=1, period="days")


def _form(options: dict[str, Any], **fields: Any) -> dict[str, Any]:
    defaults = ScheduleOptions()
    shown = ("catch_up", "catchup_limit", "overlap", "lease_seconds", "catchup_pace_seconds", "jitter_seconds")
    return {
        "name": "a",
        "task": TASK,
        "enabled": "on",
        "args": "[]",
        "kwargs": SYNC_FEED,
        "headers": "{}",
        "slotbeat-TOTAL_FORMS": "1",
        "slotbeat-INITIAL_FORMS": "0",
        **{f"slotbeat-0-{name}": getattr(defaults, name) for name in shown},
        **{f"slotbeat-0-{name}": value for name, value in options.items()},
        **fields,
    }


def _errors(client: Client, options: dict[str, Any], **fields: Any) -> dict[str, list[str]]:
    answer = sign_in(client).post(add_url(PeriodicTask), _form(options, **fields))
    if answer.status_code == 302:
        return {}
    assert not PeriodicTask.objects.exists()
    (form,) = answer.context["inline_admin_formsets"][0].formset.forms
    return {field: list(found) for field, found in form.errors.items()}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seconds": "30"}, "leave it empty"),
        ({"month_day": "last day"}, "leave it empty"),
        ({"interval_zone": "Europe/Berlin"}, "an interval of hours follows no wall clock"),
        ({"jitter_seconds": "3600"}, "not shorter than the time between two slots"),
        ({"ends_at_0": "1970-01-01", "ends_at_1": "00:30:00"}, "would never fire"),
        ({"calendar": "999"}, "not one of the available choices"),
        ({"max_runs": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_does_not_fit_an_hourly_interval_is_refused_at_its_field(
    client: Client, hourly: IntervalSchedule, options: dict[str, str], sentence: str
) -> None:
    errors = _errors(client, options, interval=hourly.pk)
    (field,) = options.keys() if len(options) == 1 else ("ends_at",)
    assert list(errors) == [field]
    assert sentence in errors[field][0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seconds": "60"}, "60 is outside 0-59"),
        ({"month_day": "last funday"}, "write 'last day', 'last weekday', '2nd tue' or 'last fri'"),
        ({"interval_zone": "Europe/Berlin"}, "leave it empty"),
        ({"jitter_seconds": "86400"}, "not shorter"),
    ],
)
def test_what_does_not_fit_a_crontab_is_refused_at_its_field(
    client: Client, crontab: CrontabSchedule, options: dict[str, str], sentence: str
) -> None:
    errors = _errors(client, options, crontab=crontab.pk)
    assert list(errors) == list(options)
    assert sentence in next(iter(errors.values()))[0]


def test_a_day_of_the_month_that_never_meets_the_crontabs_is_refused_at_the_option(client: Client) -> None:
    never = CrontabSchedule.objects.create(minute="0", hour="6", day_of_month="1", timezone="UTC")
    assert "never comes" in _errors(client, {"month_day": "last day"}, crontab=never.pk)["month_day"][0]


def test_several_options_that_do_not_fit_are_told_each_at_its_field(client: Client, hourly: IntervalSchedule) -> None:
    wrong = {"seconds": "30", "month_day": "last day", "interval_zone": "Europe/Berlin", "jitter_seconds": "7200"}
    assert _errors(client, wrong, interval=hourly.pk).keys() == wrong.keys()


def test_an_unknown_zone_is_refused_at_its_field(client: Client, daily: IntervalSchedule) -> None:
    errors = _errors(client, {"interval_zone": "Mars/Olympus"}, interval=daily.pk)
    assert "is not known here" in errors["interval_zone"][0]


def test_options_of_a_row_that_cannot_run_are_not_blamed(client: Client, crontab: CrontabSchedule) -> None:
    assert _errors(client, {"seconds": "60"}, crontab=crontab.pk, kwargs='{"volume": 11}') == {}
    assert not PeriodicTask.objects.exists()


def test_every_option_is_saved_and_shown_again(client: Client, crontab: CrontabSchedule) -> None:
    calendar = Calendar.objects.create(name="holidays")
    calendar.dates.create(date=date(2026, 12, 25))
    wanted = {
        "seconds": "0,30",
        "month_day": "last weekday",
        "max_runs": "12",
        "calendar": str(calendar.pk),
        "jitter_seconds": "20",
        "catchup_pace_seconds": "5",
        "ends_at_0": "2036-01-01",
        "ends_at_1": "00:00:00",
    }
    assert _errors(client, wanted, crontab=crontab.pk) == {}
    options = ScheduleOptions.objects.get()
    assert (options.seconds, options.month_day, options.max_runs) == ("0,30", "last weekday", 12)
    assert (options.calendar, options.jitter_seconds, options.catchup_pace_seconds) == (calendar, 20, 5)
    assert options.ends_at == datetime(2036, 1, 1, tzinfo=UTC)
    page = get(client, row_url(PeriodicTask.objects.get())).text
    assert "last weekday" in page
    assert "holidays" in page
    assert "Finer than a crontab" in page
    assert "Days begin in the zone of the crontab" in page


def test_a_zone_for_days_is_saved(client: Client, daily: IntervalSchedule) -> None:
    assert _errors(client, {"interval_zone": "Europe/Berlin"}, interval=daily.pk) == {}
    assert ScheduleOptions.objects.get().interval_zone == "Europe/Berlin"


def test_a_paused_schedule_may_keep_options_that_do_not_fit(client: Client, hourly: IntervalSchedule) -> None:
    row = schedule_row(interval=hourly, enabled=False, options={})
    posted = _form(
        {"seconds": "30", "id": row.slotbeat.pk, "periodic_task": row.pk},
        interval=hourly.pk,
        **{"slotbeat-INITIAL_FORMS": "1"},
    )
    del posted["enabled"]
    assert sign_in(client).post(row_url(row), posted).status_code == 302
    assert ScheduleOptions.objects.get().seconds == "30"


def test_rule_and_options_are_exchanged_in_one_post(
    client: Client, daily: IntervalSchedule, crontab: CrontabSchedule
) -> None:
    row = schedule_row(interval=daily, options={"interval_zone": "Europe/Berlin"})
    options = {"interval_zone": "", "month_day": "last day", "id": row.slotbeat.pk, "periodic_task": row.pk}
    posted = _form(options, crontab=crontab.pk, **{"slotbeat-INITIAL_FORMS": "1"})
    assert sign_in(client).post(row_url(row), posted).status_code == 302
    row = PeriodicTask.objects.get()
    assert (row.interval, row.crontab, row.slotbeat.month_day) == (None, crontab, "last day")
