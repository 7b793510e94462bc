"""Enable, disable, toggle and run now do what they say, and say what they did."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest
from django.test import Client
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from pytest_django.fixtures import Settings

from schedules.models import ScheduleOptions, Slot, SlotState
from schedules.redis import client as redis_client
from tests.support.admin_pages import run_action, sign_in

pytestmark = pytest.mark.django_db
TASK = "billing.close"


@pytest.fixture
def admin_client(client: Client, db: None) -> Client:
    return sign_in(client)


@pytest.fixture(autouse=True)
def known_task(settings: Settings) -> None:
    """A task of other code, which schedules may name."""
    settings.SLOTBEAT_EXTRA_TASKS = (TASK,)


def make(name: str, **fields: Any) -> PeriodicTask:
    """A row as it may come by SQL, unseen by any refusal."""
    interval, _ = IntervalSchedule.objects.get_or_create(every=5, period="minutes")
    given: dict[str, Any] = {"task": TASK, "interval": interval, "queue": "schedules", **fields}
    PeriodicTask.objects.bulk_create([PeriodicTask(name=name, **given)])
    return PeriodicTask.objects.get(name=name)


def test_enabling_refuses_what_cannot_run_and_moves_the_change_of_the_others(admin_client: Client) -> None:
    good, bad = make("good", enabled=False), make("bad", enabled=False, task="billing.closed")

    messages = run_action(admin_client, "enable_tasks", [good, bad])

    assert messages[0] == "1 enabled: good"
    assert messages[1].startswith("'bad' was not enabled: No worker knows the task 'billing.closed'")
    changed = PeriodicTask.objects.get(name="good")
    assert changed.enabled
    assert changed.date_changed > good.date_changed
    assert not PeriodicTask.objects.get(name="bad").enabled


def test_disabling_touches_the_switch_alone(admin_client: Client) -> None:
    row = make("busy", total_run_count=5)

    assert run_action(admin_client, "disable_tasks", [row]) == ["1 disabled: busy"]

    changed = PeriodicTask.objects.get()
    assert (changed.enabled, changed.total_run_count) == (False, 5)
    assert changed.date_changed > row.date_changed


def test_toggling_goes_both_ways(admin_client: Client) -> None:
    rows = [make("on"), make("off", enabled=False)]
    assert run_action(admin_client, "toggle_tasks", rows) == ["1 enabled: off", "1 disabled: on"]


def test_what_is_so_already_is_left_alone(admin_client: Client) -> None:
    row = make("on")
    assert run_action(admin_client, "enable_tasks", [row]) == ["1 left as they were: on"]
    assert PeriodicTask.objects.get().date_changed == row.date_changed


def test_many_names_are_counted_not_listed(admin_client: Client) -> None:
    rows = [make(f"s{number:02}", enabled=False, task="billing.closed") for number in range(12)]
    messages = run_action(admin_client, "enable_tasks", rows)
    assert len(messages) == 11
    assert messages[-1] == "2 more were refused: see their state below"


def test_run_now_sends_exactly_one_message_and_writes_one_slot(admin_client: Client) -> None:
    row = make("nightly", enabled=False)

    assert run_action(admin_client, "run_tasks", [row]) == ["1 handed over to run now: nightly"]

    (message,) = (json.loads(text) for text in redis_client().lrange("schedules", 0, -1))
    slot = Slot.objects.get()
    assert message["headers"]["id"] == slot.slot_id
    assert message["headers"]["task"] == TASK
    assert (slot.schedule, slot.trigger, slot.state) == ("nightly", "manual", SlotState.DISPATCHED)


def test_run_now_respects_the_overlap_policy(admin_client: Client) -> None:
    row = make("nightly")
    run_action(admin_client, "run_tasks", [row])

    (message,) = run_action(admin_client, "run_tasks", [row])

    assert "has not ended" in message
    assert redis_client().llen("schedules") == 1
    ScheduleOptions.objects.create(periodic_task=row, overlap="allow_all")
    run_action(admin_client, "run_tasks", [row])
    assert redis_client().llen("schedules") == 2


def test_run_now_refuses_what_cannot_run(admin_client: Client) -> None:
    (message,) = run_action(admin_client, "run_tasks", [make("bad", kwargs="[1]")])
    assert message == """'bad' was not run: kwargs must be a JSON object, as in {"job": "sync_feed"}"""
    assert redis_client().llen("schedules") == 0
    assert not Slot.objects.exists()


def test_run_now_without_a_broker_is_a_message_not_a_failure(admin_client: Client, settings: Settings) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings.SLOTBEAT_REDIS_URL = f"redis://127.0.0.1:{nobody.getsockname()[1]}/0"
        (message,) = run_action(admin_client, "run_tasks", [make("nightly"), make("weekly")])

    assert message.startswith("'nightly' and what follows it was not run, the broker cannot be reached")
    assert not Slot.objects.exists()
