"""/metrics asks real servers at the scrape; one that is away or frozen costs its own figures and no more."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest
from django.db import connection, connections
from django.test import Client, override_settings
from django_celery_beat.models import CrontabSchedule, PeriodicTask
from prometheus_client.parser import text_string_to_metric_families

from schedules import beats
from schedules.conf import conf
from schedules.models import Slot
from schedules.redis import client as redis_client
from tests.support.schedules import schedule_row
from tests.support.valkey import CLOSED_PORT
from tests.support.waiting import wait_for
from workers.models import OutboxEvent

# The page asks PostgreSQL on a connection of its own, which sees what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

POSTGRESQL_PARTS = ("outbox", "slots", "schedules")
Figures = dict[str, float]


def _figures(client: Client) -> Figures:
    """Every sample by its name, and its label's value where it has one."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    families = list(text_string_to_metric_families(answer.content.decode()))
    assert all(family.documentation for family in families)
    samples = [sample for family in families for sample in family.samples]
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def _errors(figures: Figures) -> set[str]:
    name = "slotbeat_scrape_errors "
    return {key.removeprefix(name) for key, value in figures.items() if key.startswith(name) and value == 1}


@contextmanager
def _silent_server() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


@contextmanager
def _postgresql_at(port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """New connections go there; the test's own stays."""
    with monkeypatch.context() as patch:
        patch.setitem(
            connections.settings, "default", {**connection.settings_dict, "HOST": "127.0.0.1", "PORT": str(port)}
        )
        yield


def test_every_figure_is_there(client: Client) -> None:
    now = datetime.now(UTC)  # noqa: TID251 ages are judged by the clock of the page
    schedule_row("valid")
    schedule_row("off", enabled=False)
    crontab = CrontabSchedule.objects.create(minute="0", hour="10", day_of_month="31", month_of_year="2")
    PeriodicTask.objects.bulk_create([PeriodicTask(name="never", task="fan_out", crontab=crontab)])
    beats.report(redis_client(), conf(), "host-1-abcd", now, schedules=1, rejected=1, next_time=None)
    for state, age in (("dispatched", 400), ("running", 310), ("running", 60), ("done", 400)):
        at = now - timedelta(seconds=age)
        Slot.objects.create(slot_id=f"{state}:{age}", schedule="valid", scheduled_for=at, state=state)
    OutboxEvent.objects.create(topic="slots", key="a", payload={})
    OutboxEvent.objects.create(topic="slots", key="a", payload={}, state="published")
    OutboxEvent.objects.filter(state="pending").update(created_at=now - timedelta(seconds=90))

    figures = _figures(client)

    assert 90 <= figures.pop("slotbeat_outbox_oldest_age_seconds") < 120
    assert figures == {
        "slotbeat_schedules valid": 1,
        "slotbeat_schedules invalid": 1,
        "slotbeat_schedules disabled": 1,
        "slotbeat_beats_alive": 1,
        "slotbeat_outbox_pending": 1,
        "slotbeat_slots_overdue": 2,
        **{f"slotbeat_scrape_errors {part}": 0 for part in (*POSTGRESQL_PARTS, "beats")},
    }


def test_nothing_there_is_zero_and_no_error(client: Client) -> None:
    figures = _figures(client)
    assert set(figures.values()) == {0.0}
    assert len(figures) == 11


def test_an_edit_by_sql_counts_at_the_next_scrape(client: Client) -> None:
    row = schedule_row("a")
    assert _figures(client)["slotbeat_schedules valid"] == 1
    PeriodicTask.objects.filter(pk=row.pk).update(task="fan_uot")
    figures = _figures(client)
    assert (figures["slotbeat_schedules valid"], figures["slotbeat_schedules invalid"]) == (0, 1)


def test_redis_away_costs_the_beats_alone(client: Client) -> None:
    with override_settings(SLOTBEAT_REDIS_URL=CLOSED_PORT):
        figures = _figures(client)
    assert _errors(figures) == {"beats"}
    assert "slotbeat_beats_alive" not in figures
    assert "slotbeat_outbox_pending" in figures


def test_postgresql_away_costs_its_figures_alone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with _postgresql_at(1, monkeypatch):
        figures = _figures(client)
    assert _errors(figures) == set(POSTGRESQL_PARTS)
    assert {name for name in figures if "errors" not in name} == {"slotbeat_beats_alive"}


def test_servers_that_accept_and_never_answer_cost_seconds_and_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        _silent_server() as port,
        _postgresql_at(port, monkeypatch),
        override_settings(SLOTBEAT_REDIS_URL=f"redis://127.0.0.1:{port}/0"),
    ):
        began = monotonic()
        assert _errors(_figures(client)) == {*POSTGRESQL_PARTS, "beats"}
        assert _errors(_figures(client)) == {*POSTGRESQL_PARTS, "beats"}
        assert monotonic() - began < 9
    wait_for(lambda: not _errors(_figures(client)), timeout=30, what="the figures of servers that are back")
