"""`run_command`: allowed commands run, their output is logged, everything else is refused."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError
from pytest_django.fixtures import Settings

from tests.support.runs import running
from tests.support.schedules import schedule_row
from tests.support.workers import AT, stamp_of
from workers.jobs.run_command import CommandFailed, run_command
from workers.models import EventState, OutboxEvent

pytestmark = pytest.mark.django_db(transaction=True)


def test_housekeeping_runs_and_its_output_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    OutboxEvent.objects.create(
        topic="t", key="k", payload={}, state=EventState.PUBLISHED, published_at=AT - timedelta(days=3650)
    )
    with caplog.at_level(logging.INFO), running(stamp_of("housekeeping")) as run:
        run_command(run, command="housekeeping", args=["--batch-size", 10])
    assert not OutboxEvent.objects.exists()
    assert f"{run.stamp.slot_id} housekeeping: deleted 0 runs, 0 slots, 0 fan-outs, 1 events" in caplog.messages


def test_a_command_that_fails_fails_the_run() -> None:
    with running(stamp_of("housekeeping")) as run, pytest.raises(CommandError, match="--batch-size is 0"):
        run_command(run, command="housekeeping", args=["--batch-size", "0"])


def test_a_command_that_leaves_the_process_leaves_only_the_run(settings: Settings) -> None:
    settings.SLOTBEAT_RUN_COMMANDS = ["makemigrations"]
    with running(stamp_of("leaves")) as run:
        run_command(run, command="makemigrations", args=["--check", "--dry-run", "workers"])
        with pytest.raises(CommandFailed, match="'makemigrations' ended with exit code 2"):
            run_command(run, command="makemigrations", args=["nowhere"])


def test_a_command_that_is_no_longer_allowed_does_not_run(settings: Settings) -> None:
    settings.SLOTBEAT_RUN_COMMANDS = []
    with running(stamp_of("housekeeping")) as run, pytest.raises(ValueError, match="not allowed"):
        run_command(run, command="housekeeping")


def test_a_schedule_of_a_command_that_is_not_allowed_is_not_saved() -> None:
    schedule_row("good", task="jobs.run_command", kwargs='{"command": "housekeeping"}')
    with pytest.raises(ValidationError, match="SLOTBEAT_RUN_COMMANDS"):
        schedule_row("bad", task="jobs.run_command", kwargs='{"command": "flush"}')
