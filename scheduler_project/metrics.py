"""What Prometheus reads at /metrics: asked of the servers at the scrape; one that is away costs only its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread
from time import monotonic

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django_celery_beat.models import PeriodicTask
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from schedules import beats
from schedules.conf import conf
from schedules.models import Slot, SlotState
from schedules.reader import Reader
from schedules.redis import client
from schedules.validation import refusal
from workers.relay import backlog

logger = logging.getLogger(__name__)

# A frozen server never answers: the page then goes without it, well inside the ten seconds Prometheus waits.
_LONGEST_WAIT_SECONDS = 3.0
_OVERDUE = timedelta(minutes=5)

Gauges = list[GaugeMetricFamily]
Part = Callable[[datetime], Gauges]


def metrics(_request: HttpRequest) -> HttpResponse:
    """Every figure that can be had, always with status 200."""
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class Server:
    """One server's parts, asked in order on a thread of their own, which a frozen server may keep: the page goes on.

    While a thread is kept no second one starts, so that scrapes of a frozen server do not pile up.
    """

    def __init__(self, parts: Mapping[str, Part], release: Callable[[], None]) -> None:
        self.parts = parts
        self._release = release
        self._free = Lock()

    def ask(self, now: datetime, answers: dict[str, Gauges], wait_seconds: float) -> Event:
        """Begins to fill `answers`; the event is set when nothing more is to come."""
        done = Event()
        if self._free.acquire(timeout=wait_seconds):
            Thread(target=self._answer, args=(now, answers, done), name="scrape", daemon=True).start()
        else:
            done.set()
        return done

    def _answer(self, now: datetime, answers: dict[str, Gauges], done: Event) -> None:
        try:
            for name, part in self.parts.items():
                self._answer_part(name, part, now, answers)
        finally:
            self._release()
            self._free.release()
            done.set()

    def _answer_part(self, name: str, part: Part, now: datetime, answers: dict[str, Gauges]) -> None:
        try:
            answers[name] = part(now)
        except Exception as error:  # noqa: BLE001 whatever it is, the page tells that the part is missing
            logger.warning("the metrics of %s are left out: %s", name, error)


class Scrape(Collector):
    """Asks every server at once, and waits for all of them no longer than `wait_seconds`."""

    def __init__(self, servers: Iterable[Server], wait_seconds: float = _LONGEST_WAIT_SECONDS) -> None:
        self._servers = tuple(servers)
        self._wait_seconds = wait_seconds

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """What was answered in time, and a 1 in slotbeat_scrape_errors for each part that was not."""
        now = datetime.now(UTC)  # noqa: TID251 a scrape is an entry point
        deadline = monotonic() + self._wait_seconds
        answers: dict[str, Gauges] = {}
        for waiting in [server.ask(now, answers, _until(deadline)) for server in self._servers]:
            waiting.wait(_until(deadline))
        answered = dict(answers)
        errors = GaugeMetricFamily("slotbeat_scrape_errors", "1 where a part could not be had.", labels=["part"])
        for name in (name for server in self._servers for name in server.parts):
            errors.add_metric([name], float(name not in answered))
        return [*(gauge for gauges in answered.values() for gauge in gauges), errors]


def _until(deadline: float) -> float:
    return max(0.0, deadline - monotonic())


def _outbox(now: datetime) -> Gauges:
    pending, oldest = backlog(now)
    return [
        GaugeMetricFamily("slotbeat_outbox_pending", "Events that no relay has published yet.", pending),
        GaugeMetricFamily("slotbeat_outbox_oldest_age_seconds", "Age of the oldest pending event, 0 if none.", oldest),
    ]


def _slots(now: datetime) -> Gauges:
    unfinished = Slot.objects.filter(state__in=[SlotState.DISPATCHED, SlotState.RUNNING])
    overdue = unfinished.filter(scheduled_for__lt=now - _OVERDUE).count()
    text = "Slots planned more than 5 minutes ago that are dispatched or running still."
    return [GaugeMetricFamily("slotbeat_slots_overdue", text, overdue)]


_reader = Reader(refusal)


def _schedules(_now: datetime) -> Gauges:
    """By the beat's own judgement; the reader remembers, so that only changed rows are judged again."""
    definitions, rejected = _reader.read()
    disabled = PeriodicTask.objects.filter(enabled=False).count()
    found = GaugeMetricFamily(
        "slotbeat_schedules", "Schedules by state; an invalid one is enabled and cannot run.", labels=["state"]
    )
    for state, count in (("valid", len(definitions)), ("invalid", len(rejected)), ("disabled", disabled)):
        found.add_metric([state], count)
    return [found]


def _beats(_now: datetime) -> Gauges:
    alive = len(beats.alive(client(), conf()))
    return [GaugeMetricFamily("slotbeat_beats_alive", "Beats that have reported lately.", alive)]


# The schedules come last: the first look at very many of them takes longer than a scrape waits.
POSTGRESQL = {"outbox": _outbox, "slots": _slots, "schedules": _schedules}
registry = CollectorRegistry(auto_describe=False)
registry.register(Scrape([Server(POSTGRESQL, lambda: connection.close()), Server({"beats": _beats}, lambda: None)]))
