"""The adapter to celery's beat service, ticking in this process on the real clock."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from celery import beat as celery_beat
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from kombu.utils.imports import symbol_by_name

from scheduler_project.celery import app
from scheduler_project.environment import CHECKOUT
from schedules import beats
from schedules.beat import Scheduler
from schedules.conf import Conf, conf
from schedules.ledger import last_slots
from schedules.models import Slot
from schedules.redis import client
from schedules.timing.interval import EPOCH
from tests.support.queues import task_ids
from tests.support.rules import utc
from tests.support.schedules import every, schedule_row, seconds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    """A scheduler as celery's service makes it."""
    made = Scheduler(app=app)
    yield made
    made.stop()


def _tick_until(scheduler: Scheduler, count: int) -> None:
    """Ticks until so many messages are in the queue; at most ten seconds of pauses."""
    for _ in range(100):
        if len(task_ids()) >= count:
            return
        scheduler.tick()
    pytest.fail(f"{len(task_ids())} messages after 100 ticks, {count} expected")


def _fast(name: str = "fast") -> PeriodicTask:
    return schedule_row(name, interval=every(100_000, IntervalSchedule.MICROSECONDS), options={"overlap": "allow_all"})


def test_celerys_service_makes_our_scheduler_by_default() -> None:
    service = celery_beat.Service(app, scheduler_cls=app.conf.beat_scheduler)
    assert isinstance(service.scheduler, Scheduler)
    assert service.scheduler.max_interval is not None
    assert service.scheduler.max_interval >= conf().longest_sleep_seconds


def test_the_package_offers_the_scheduler_by_name() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    offered = project["entry-points"]["celery.beat_schedulers"]
    assert symbol_by_name(offered["slotbeat"]) is Scheduler


def test_ticks_hand_over_and_write_down(scheduler: Scheduler) -> None:
    _fast()
    _tick_until(scheduler, 3)
    ids = task_ids()
    assert len(set(ids)) == len(ids)
    assert sorted(Slot.objects.values_list("slot_id", flat=True)) == sorted(ids)
    assert last_slots()["fast"] == Slot.objects.latest("scheduled_for").scheduled_for


def test_a_pause_is_no_longer_than_the_longest_and_ends_at_the_next_fire_time(scheduler: Scheduler) -> None:
    now = utc("2026-03-10T09:00:00")
    assert scheduler._pause(now, True) == Conf().longest_sleep_seconds
    _fast()
    scheduler.tick()
    assert scheduler._pause(EPOCH, True) == Conf().longest_sleep_seconds
    next_time = scheduler._dispatch.next_time() if scheduler._dispatch else None
    assert next_time is not None
    assert scheduler._pause(next_time - seconds(0.05), True) == pytest.approx(0.05)
    assert scheduler._pause(next_time + seconds(9), True) == 0
    assert scheduler._pause(next_time + seconds(9), False) == Conf().longest_sleep_seconds


def test_a_stop_ends_the_pause_at_once_and_no_pass_follows(scheduler: Scheduler) -> None:
    scheduler.stop()
    with pytest.raises(SystemExit) as ended:
        scheduler.tick()
    assert ended.value.code == 0


def test_a_beat_reports_and_signs_off(scheduler: Scheduler) -> None:
    _fast()
    scheduler.tick()
    (said,) = beats.alive(client(), conf())
    assert (said.schedules, said.rejected) == (1, 0)
    assert client().pttl(f"slotbeat:beat:{said.beat_id}") > 0
    scheduler.close()
    assert beats.alive(client(), conf()) == []


@pytest.mark.parametrize(
    ("changes", "telling"),
    [
        ({"kwargs": "{"}, "kwargs is not JSON"),
        ({"task": "unheard_of"}, "'unheard_of'"),
        ({"queue": "nobody"}, "'nobody'"),
        ({"exchange": "nowhere", "routing_key": "nobody"}, "'nowhere'"),
    ],
)
def test_a_row_that_cannot_run_is_told_once_by_name_and_the_others_go_on(
    scheduler: Scheduler, caplog: pytest.LogCaptureFixture, changes: dict[str, Any], telling: str
) -> None:
    """Forced in behind the signal's back, or left over from a queue or task that is gone."""
    _fast("healthy")
    _fast("broken")
    PeriodicTask.objects.filter(name="broken").update(**changes)
    with caplog.at_level(logging.ERROR):
        _tick_until(scheduler, 3)
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(told) == 1
    assert "schedule 'broken' cannot run" in told[0]
    assert telling in told[0]
    assert {slot.partition(":")[0] for slot in task_ids()} == {"healthy"}


def test_b17_a_bulk_change_counts_within_the_refresh_time(scheduler: Scheduler) -> None:
    _fast()
    _tick_until(scheduler, 1)
    PeriodicTask.objects.filter(name="fast").update(enabled=False)
    changed_at = Slot.objects.latest("scheduled_for").scheduled_for
    for _ in range(4):
        scheduler.tick()
    late = Slot.objects.filter(scheduled_for__gt=changed_at + seconds(conf().refresh_seconds + 0.5))
    assert late.count() == 0
