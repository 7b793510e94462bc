"""The status command: what is there is shown, what is away is told, and the exit code says so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from schedules import beats
from schedules.conf import conf
from schedules.models import Slot
from schedules.redis import client
from workers.models import FanOut, OutboxEvent

NOW = datetime.now(UTC)  # noqa: TID251 the beat's report is judged by its age
pytestmark = pytest.mark.django_db


@pytest.fixture
def a_stack_at_work() -> None:
    """A reporting beat, a schedule, a slot with its fan-out, an event."""
    beats.report(client(), conf(), "host-1-abcd", NOW, schedules=1, rejected=0, next_time=NOW)
    every, _ = IntervalSchedule.objects.get_or_create(every=2, period="seconds")
    PeriodicTask.objects.create(
        name="slots", task="fan_out", interval=every, kwargs='{"job": "sync_feed", "params": {"feed": "slots"}}'
    )
    Slot.objects.create(
        slot_id="slots:1", schedule="slots", scheduled_for=NOW, state="done", dispatched_at=NOW + timedelta(seconds=0.5)
    )
    FanOut.objects.create(slot_id="slots:1", schedule="slots", scheduled_for=NOW, job="x", published=99, skipped=1)
    OutboxEvent.objects.create(topic="slots", key="a", payload={})


def _status() -> dict[str, Any]:
    out = StringIO()
    call_command("status", "--json", stdout=out)
    said: dict[str, Any] = json.loads(out.getvalue())
    return said


@pytest.mark.usefixtures("a_stack_at_work")
def test_every_section_is_filled() -> None:
    said = _status()

    assert said["beats"]["rows"][0]["beat"] == "host-1-abcd"
    assert [row["schedule"] for row in said["next slots"]["rows"]] == ["slots"]
    assert said["last slots"]["rows"][0] | {"published": 99, "skipped": 1} == said["last slots"]["rows"][0]
    assert said["last slots"]["rows"][0]["late s"] == 0.5
    assert {row["queue"]: row["waiting"] for row in said["queues"]["rows"]} == {
        "schedules": 0,
        "accounts": 0,
        "(in workers' hands)": 0,
    }
    assert said["outbox"]["rows"][0]["pending"] == 1
    assert "problem" not in said["kafka"]


@pytest.mark.usefixtures("a_stack_at_work")
def test_the_tables_are_readable_by_people() -> None:
    out = StringIO()

    call_command("status", stdout=out)

    assert "host-1-abcd" in out.getvalue()
    assert " 99 " in out.getvalue()


def test_no_beat_alive_is_trouble() -> None:
    with pytest.raises(CommandError, match="not well: no beat is alive"):
        call_command("status", stdout=StringIO())


@pytest.mark.usefixtures("a_stack_at_work")
def test_a_schedule_that_cannot_run_is_shown_with_the_reason() -> None:
    PeriodicTask.objects.filter(name="slots").update(kwargs="[1,]")

    rows = _status()["next slots"]["rows"]

    assert rows[0]["scheduled for"].startswith("cannot run: kwargs is not JSON")


@pytest.mark.usefixtures("a_stack_at_work")
def test_a_server_that_is_away_is_told_and_the_rest_is_shown() -> None:
    out = StringIO()

    with (
        override_settings(KAFKA_BOOTSTRAP_SERVERS="127.0.0.1:1"),
        pytest.raises(CommandError, match="not well: kafka"),
    ):
        call_command("status", "--json", stdout=out)

    said = json.loads(out.getvalue())
    assert said["kafka"]["problem"].startswith("KafkaSilent")
    assert said["outbox"]["rows"][0]["pending"] == 1
