"""A rule that schedules use is not changed into one with which they could not run."""

from __future__ import annotations

import pytest
from django.test import Client
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from tests.support.admin_pages import row_url, sign_in
from tests.support.schedules import schedule_row

pytestmark = pytest.mark.django_db

STARS = dict.fromkeys(("minute", "hour", "day_of_month", "month_of_year", "day_of_week"), "*")


def _errors(client: Client, rule: CrontabSchedule | IntervalSchedule, **posted: str) -> dict[str, list[str]]:
    answer = sign_in(client).post(row_url(rule), posted)
    if answer.status_code == 302:
        return {}
    return {field: list(found) for field, found in answer.context["adminform"].form.errors.items()}


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"day_of_month": "31", "month_of_year": "2"}, "day_of_month", "never comes"),
        ({"day_of_week": "8"}, "day_of_week", "8 is outside 0-7"),
        ({"minute": "0," * 120 + "1"}, "minute", "at most 240 characters"),
    ],
)
def test_not_into_one_that_never_fires(client: Client, changes: dict[str, str], field: str, sentence: str) -> None:
    crontab = CrontabSchedule.objects.create(timezone="UTC")
    schedule_row(crontab=crontab)
    errors = _errors(client, crontab, **{**STARS, "timezone": "UTC", **changes})
    assert list(errors) == [field]
    assert sentence in errors[field][0]


def test_not_into_one_that_its_schedules_options_do_not_fit(client: Client) -> None:
    crontab = CrontabSchedule.objects.create(minute="0", hour="6", timezone="UTC")
    schedule_row("nightly", crontab=crontab, options={"jitter_seconds": 3600})
    errors = _errors(client, crontab, **STARS, timezone="UTC")
    assert "The schedule 'nightly' uses this rule" in errors["__all__"][0]
    assert "jitter_seconds 3600" in errors["__all__"][0]
    crontab.refresh_from_db()
    assert crontab.hour == "6"


def test_not_into_hours_where_days_follow_a_wall_clock(client: Client) -> None:
    interval = IntervalSchedule.objects.create(every=1, period="days")
    schedule_row("daily", interval=interval, options={"interval_zone": "Europe/Berlin"})
    errors = _errors(client, interval, every="24", period="hours")
    assert "interval_zone" in errors["__all__"][0]


@pytest.mark.parametrize("broken", [{"task": "fan_uot"}, {"enabled": False}])
def test_a_schedule_that_could_not_run_anyway_is_no_reason(client: Client, broken: dict[str, object]) -> None:
    interval = IntervalSchedule.objects.create(every=1, period="days")
    row = schedule_row("daily", interval=interval, options={"interval_zone": "Europe/Berlin"})
    PeriodicTask.objects.filter(pk=row.pk).update(**broken)
    assert _errors(client, interval, every="24", period="hours") == {}
