"""Beats as real processes: a killed one loses and doubles nothing, a stop is clean, a restart follows the policy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schedules.stamp import parse_id
from tests.support.beats import BeatProcess, BeatStage, beat_stage
from tests.support.queues import messages, task_ids
from tests.support.waiting import wait_for

_SCHEDULES = """
import django
django.setup()
from datetime import datetime, timedelta
from django_celery_beat.models import ClockedSchedule, IntervalSchedule, PeriodicTask
from schedules.models import ScheduleOptions

def schedule(name, catch_up, window, **fields):
    kwargs = '{"job": "sync_feed", "params": {"feed": "orders"}}'
    row = PeriodicTask.objects.create(name=name, task="fan_out", kwargs=kwargs, **fields)
    options = {"catch_up": catch_up, "catchup_window_seconds": window, "overlap": "allow_all"}
    ScheduleOptions.objects.create(periodic_task=row, **options)

second = IntervalSchedule.objects.create(every=1, period="seconds")
hour = IntervalSchedule.objects.create(every=1, period="hours")
"""
_EVERY_SECOND = _SCHEDULES + "schedule('second', 'all', 60, interval=second)\n"


@pytest.fixture(scope="module")
def database() -> Iterator[BeatStage]:
    """One migrated database for all tests of this file."""
    with beat_stage() as stage:
        yield stage


@pytest.fixture
def stage(database: BeatStage) -> Iterator[BeatStage]:
    """Without rows, messages and processes."""
    database.clean()
    yield database
    database.clean()


def _ids(stage: BeatStage) -> list[str]:
    return task_ids(redis=stage.redis)


def _seconds(stage: BeatStage, schedule: str) -> list[int]:
    """The fire times of what lies in the queue, in seconds since the epoch, in order of time."""
    parsed = (parse_id(identity) for identity in _ids(stage))
    return sorted(int(instant) // 1000 for name, _, instant in parsed if name == schedule)


def _written_by(stage: BeatStage, beat: BeatProcess) -> int:
    query = "SELECT count(*) FROM schedules_slot WHERE dispatched_by LIKE %s"
    return int(stage.rows(query, f"%-{beat.pid}-%")[0][0])


def _report(stage: BeatStage) -> int:
    return len(stage.redis.keys("slotbeat:beat:*"))


def _more_slots(stage: BeatStage, count: int) -> None:
    goal = len(_ids(stage)) + count
    wait_for(lambda: len(_ids(stage)) >= goal, timeout=20, what=f"{count} more messages")


def test_a_killed_beat_loses_and_doubles_nothing_and_the_other_ends_cleanly(stage: BeatStage, tmp_path: Path) -> None:
    stage.run_python(_EVERY_SECOND)
    beats = [stage.start_beat(tmp_path) for _ in range(2)]
    wait_for(lambda: _report(stage) == 2, timeout=20, what="two beats to report")
    _more_slots(stage, 2)
    wait_for(lambda: any(_written_by(stage, beat) for beat in beats), what="a slot in the ledger")
    victim = max(beats, key=lambda beat: _written_by(stage, beat))
    (survivor,) = (beat for beat in beats if beat is not victim)
    victim.kill()
    _more_slots(stage, 4)
    exit_code, took = survivor.terminate()
    assert (exit_code, took < 5) == (0, True), survivor.log.read_text()
    sent = _seconds(stage, "second")
    assert sent == list(range(sent[0], sent[-1] + 1))
    written = stage.rows("SELECT slot_id, dispatches FROM schedules_slot ORDER BY scheduled_for")
    assert written == [(identity, 1) for identity in sorted(_ids(stage))]
    assert _written_by(stage, survivor) >= 4
    assert stage.redis.keys(f"slotbeat:beat:*-{survivor.pid}-*") == []


def test_a_beat_without_anything_to_do_ends_at_once_and_signs_off(stage: BeatStage, tmp_path: Path) -> None:
    beat = stage.start_beat(tmp_path)
    wait_for(lambda: _report(stage) == 1, timeout=20, what="the beat to report")
    exit_code, took = beat.terminate()
    assert (exit_code, took < 5) == (0, True), beat.log.read_text()
    assert _report(stage) == 0
    assert "stopped" in beat.log.read_text()


def test_a_restarted_beat_fires_for_the_past_only_what_the_policy_lets_go(stage: BeatStage, tmp_path: Path) -> None:
    missed = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)  # noqa: TID251 real processes, real clock
    rows = f"""
missed = datetime.fromisoformat({missed.isoformat()!r})
schedule('latest', 'latest', 3600, interval=hour, start_time=missed)
schedule('skip', 'skip', 3600, interval=hour, start_time=missed)
schedule('outside', 'latest', 60, interval=hour, start_time=missed)
once = ClockedSchedule.objects.create(clocked_time=missed)
schedule('once', 'latest', 3600, clocked=once, one_off=True)
PeriodicTask.objects.update(date_changed=missed - timedelta(hours=1))
schedule('second', 'all', 60, interval=second)
"""
    stage.run_python(_SCHEDULES + rows)
    first = stage.start_beat(tmp_path)
    wait_for(lambda: len(_seconds(stage, "second")) >= 2, timeout=20, what="the beat's first slots")
    assert first.terminate()[0] == 0, first.log.read_text()
    before = _ids(stage)
    second = stage.start_beat(tmp_path)
    _more_slots(stage, 3)
    assert second.terminate()[0] == 0, second.log.read_text()
    sent = _seconds(stage, "second")
    assert sent == list(range(sent[0], sent[-1] + 1))
    assert _ids(stage)[: len(before)] == before
    once_each = int(missed.timestamp())
    caught_up = {name: _seconds(stage, name) for name in ("latest", "skip", "outside", "once")}
    assert caught_up == {"latest": [once_each], "skip": [], "outside": [], "once": [once_each]}
    headers = {message.task_id: message.headers["slotbeat"] for message in messages(redis=stage.redis)}
    assert {headers[f"{name}:{once_each}000"]["trigger"] for name in ("latest", "once")} == {"catchup"}
    assert stage.rows("SELECT enabled FROM django_celery_beat_periodictask WHERE name = 'once'") == [(False,)]
    skipped = stage.rows("SELECT schedule FROM schedules_slot WHERE state = 'skipped' AND reason = 'catch_up'")
    assert ("skip",) in skipped
