"""Refused at the door: what could never run is not saved enabled, whoever saves it, and the message says what to do."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.serializers import deserialize, serialize
from django_celery_beat.models import CrontabSchedule, PeriodicTask, SolarSchedule
from pytest_django import Settings

from schedules.validation import known_queues, known_tasks
from tests.support.schedules import NINE, every, schedule_row, seconds

pytestmark = pytest.mark.django_db


def _refusal(**fields: Any) -> dict[str, list[str]]:
    """What is said of a row that is not saved."""
    with pytest.raises(ValidationError) as refused:
        schedule_row(**fields)
    assert PeriodicTask.objects.count() == 0
    return refused.value.message_dict if hasattr(refused.value, "error_dict") else {"": refused.value.messages}


def test_what_can_run_is_saved() -> None:
    schedule_row("a", queue="accounts")
    schedule_row("b", task="jobs.call_url", kwargs='{"url": "http://localhost/"}')
    assert PeriodicTask.objects.count() == 2


def test_an_unknown_task_is_refused_with_the_nearest_name() -> None:
    (message,) = _refusal(task="fan_uot")["task"]
    assert message.startswith("No worker knows the task 'fan_uot'; did you mean 'fan_out'?")
    assert "SLOTBEAT_EXTRA_TASKS" in message


def test_an_unknown_task_unlike_any_is_refused_with_all_names() -> None:
    (message,) = _refusal(task="zzzzzzzz")["task"]
    assert all(name in message for name in known_tasks())


def test_a_task_of_another_code_base_is_known_once_it_is_named(settings: Settings) -> None:
    settings.SLOTBEAT_EXTRA_TASKS = ("billing.close",)
    schedule_row(task="billing.close", kwargs='{"anything": 1}')


def test_an_unknown_queue_is_refused_with_the_known_ones() -> None:
    (message,) = _refusal(queue="acounts")["queue"]
    assert "No worker reads the queue 'acounts'" in message
    assert "accounts, schedules" in message
    assert known_queues() == ["accounts", "schedules"]


def test_task_and_queue_are_told_together() -> None:
    assert _refusal(task="fan_uot", queue="nobody").keys() == {"task", "queue"}


@pytest.mark.parametrize(
    ("fields", "telling"),
    [
        ({"kwargs": "{'job': 1}"}, "kwargs is not JSON"),
        ({"kwargs": "[]"}, "kwargs must be a JSON object, as in"),
        ({"args": "{}"}, "args must be a JSON array, as in [1, 2]"),
        ({"args": "[NaN]"}, "NaN is not a JSON value"),
        ({"headers": "[]"}, "headers must be a JSON object"),
        ({"start_time": NINE, "expires": NINE}, "It would never fire"),
        ({"start_time": NINE, "expires": NINE - seconds(5)}, "It would never fire"),
    ],
)
def test_what_cannot_be_read_or_never_fires_is_refused(fields: dict[str, Any], telling: str) -> None:
    assert telling in str(_refusal(**fields))


def test_rules_that_cannot_fire_are_refused() -> None:
    never = CrontabSchedule.objects.create(minute="0", hour="10", day_of_month="31", month_of_year="2")
    sun = SolarSchedule(event="sunrise", latitude=69.65, longitude=180.5)
    sun.save()
    assert "0 10 31 2 *" in str(_refusal(crontab=never))
    assert "longitude 180.5 is out of range" in str(_refusal(solar=sun))
    assert "100 milliseconds" in str(_refusal(interval=every(50_000, "microseconds")))


@pytest.mark.parametrize(
    ("fields", "telling"),
    [
        ({"kwargs": "{}"}, "missing"),
        ({"kwargs": '{"job": "sync_fed"}'}, "sync_fed"),
        ({"kwargs": '{"job": "sync_feed", "params": {"fed": 1}}'}, "sync_feed"),
        ({"kwargs": '{"job": "sync_feed", "nonsense": 1}'}, "nonsense"),
        ({"kwargs": '{"job": "call_url"}'}, "call_url"),
        ({"task": "jobs.call_url", "kwargs": '{"nonsense": 1}'}, "call_url"),
        ({"args": '["a", "b", "c", "d"]', "kwargs": "{}"}, "does not take these arguments"),
    ],
)
def test_arguments_that_do_not_fit_the_task_are_refused(fields: dict[str, Any], telling: str) -> None:
    (message,) = _refusal(**fields)["kwargs"]
    assert "does not take these arguments" in message
    assert telling in message


@pytest.mark.parametrize("fields", [{"task": "fan_uot"}, {"queue": "nobody"}, {"kwargs": "{"}, {"kwargs": "{}"}])
def test_a_disabled_row_may_be_kept_in_any_state_but_not_enabled(fields: dict[str, Any]) -> None:
    row = schedule_row(enabled=False, **fields)
    row.description = "still being written"
    row.save()
    row.enabled = True
    with pytest.raises(ValidationError):
        row.save()
    assert PeriodicTask.objects.get().enabled is False


def test_an_edit_of_a_healthy_row_is_refused_as_well() -> None:
    row = schedule_row()
    row.task = "fan_uot"
    with pytest.raises(ValidationError):
        row.save()
    assert PeriodicTask.objects.get().task == "fan_out"


def test_get_or_create_and_update_or_create_are_refused() -> None:
    defaults = {"task": "fan_uot", "interval": every(10)}
    with pytest.raises(ValidationError):
        PeriodicTask.objects.get_or_create(name="a", defaults=defaults)
    with pytest.raises(ValidationError):
        PeriodicTask.objects.update_or_create(name="a", defaults=defaults)


def test_fixtures_are_loaded_as_they_are() -> None:
    schedule_row()
    text = serialize("json", PeriodicTask.objects.all()).replace("fan_out", "fan_uot")
    for loaded in deserialize("json", text):
        loaded.save()
    assert PeriodicTask.objects.get().task == "fan_uot"


def test_an_exchange_that_leads_to_no_queue_is_refused() -> None:
    with pytest.raises(ValidationError):
        schedule_row(exchange="nowhere", routing_key="nobody")
