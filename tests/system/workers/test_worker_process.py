"""`celery worker` as a process with prefork children: a stop ends or gives back what was begun and loses no message."""

from __future__ import annotations

import signal
import subprocess
from datetime import timedelta

import pytest

from schedules.models import Slot, SlotState
from schedules.redis import client
from schedules.stamp import Stamp
from tests.support import long_task
from tests.support.processes import Processes
from tests.support.waiting import wait_for
from tests.support.workers import AT, declare_queues, send, stamp_of, wait_until_settled
from workers.models import Lease, LeaseState

WORKER = ("-m", "celery", "-A", "scheduler_project", "worker", "--concurrency", "2", "-I", "tests.support.long_task")
PATIENCE = 30


@pytest.fixture(autouse=True)
def queues(processes: Processes) -> None:
    declare_queues()


def publish(name: str, task: str, seconds: float) -> Stamp:
    stamp = stamp_of(name, AT)
    send(stamp, task, name=name, seconds=seconds)
    return stamp


def happened() -> list[str]:
    return [str(line) for line in client().lrange(long_task.LIST, 0, -1)]


def wait_until(*events: str) -> None:
    wait_for(lambda: set(events) <= set(happened()), what=f"{events}", timeout=PATIENCE)


def waiting() -> tuple[int, int]:
    """How many messages are in the queue, and how many a worker still holds."""
    redis = client()
    return int(redis.llen("schedules")), int(redis.hlen("unacked"))


def lease(stamp: Stamp) -> Lease:
    return Lease.objects.get(run_key=stamp.slot_id)


def start_worker(processes: Processes, drain_seconds: float = 20) -> subprocess.Popen[bytes]:
    return processes.start(*WORKER, SLOTBEAT_DRAIN_SECONDS=str(drain_seconds))


def test_a_stop_ends_what_is_short_gives_back_what_is_long_and_begins_nothing(processes: Processes) -> None:
    long, short = publish("long", "tests.polite", 60), publish("short", "tests.deaf", 1.5)
    later = [publish(f"later{number}", "tests.deaf", 0) for number in range(3)]
    worker = start_worker(processes)
    wait_until("long begun", "short begun")
    ending = processes.stop(worker, signal.SIGTERM)
    assert ending.code == 0
    assert ending.seconds < 15
    assert sorted(happened()) == ["long begun", "short begun", "short ended"]
    assert waiting() == (1 + len(later), 0)
    assert (lease(short).state, lease(short).attempts, "@" in lease(short).worker) == (LeaseState.SUCCESS, 1, True)
    assert (lease(long).state, lease(long).attempts) == (LeaseState.FAIL, 0)
    assert not Lease.objects.filter(run_key__in=[stamp.slot_id for stamp in later]).exists()
    assert Slot.objects.get(slot_id=short.slot_id).state == SlotState.DONE


def test_what_outlasts_the_budget_goes_back_and_the_worker_ends_in_time(processes: Processes) -> None:
    stubborn = publish("stubborn", "tests.deaf", 60)
    worker = start_worker(processes, drain_seconds=2)
    wait_until("stubborn begun")
    ending = processes.stop(worker, signal.SIGTERM)
    assert 1.5 < ending.seconds < 12
    assert waiting() == (1, 0)
    assert lease(stubborn).state == LeaseState.RUNNING, "its lease runs out by itself"
    assert ending.code == 0


def test_a_message_of_a_killed_worker_runs_again_once_its_lease_has_run_out(processes: Processes) -> None:
    lost = stamp_of("lost", AT + timedelta(seconds=2), lease_seconds=3)
    send(lost, "tests.polite", name="lost", seconds=2)
    first = start_worker(processes)
    wait_until("lost begun")
    processes.kill_all()
    assert first.wait(10) == -signal.SIGKILL
    assert waiting() == (0, 1)
    # The broker's visibility timeout ends here instead of in an hour.
    processes.start(*WORKER, CELERY_VISIBILITY_TIMEOUT_SECONDS="1")
    wait_until_settled(PATIENCE)
    assert happened().count("lost ended") == 1
    assert (lease(lost).state, lease(lost).attempts, lease(lost).fence) == (LeaseState.SUCCESS, 2, 2)
