"""Adapts celery's beat service to dispatch; nothing else. `celery -A PROJECT beat` runs it, any number of times."""

from __future__ import annotations

import logging
import math
import signal
import threading
from datetime import UTC, datetime
from typing import Any

from celery import beat
from celery.signals import beat_init
from django.db import Error, connection
from redis import RedisError

from schedules import beats, publisher
from schedules.conf import conf
from schedules.dispatch import Dispatch
from schedules.guard import Guard
from schedules.ledger import Ledger, end_one_offs, last_slots
from schedules.plan import Plan
from schedules.reader import Reader, Rejected
from schedules.redis import client
from schedules.validation import refusal

logger = logging.getLogger(__name__)


class Scheduler(beat.Scheduler):
    """A pass per tick; the pause between two passes ends early on a signal."""

    info = "    . beats -> any number may run at once"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._conf = conf()
        self._beat_id = beats.new_beat_id()
        self._stop = threading.Event()
        self._dispatch: Dispatch | None = None
        self._plan: Plan | None = None
        self._ledger = Ledger(self._beat_id, self._conf.ledger_buffer)
        self._reader = Reader(refusal)
        self._rejected: dict[str, Rejected] = {}
        self._refreshed_at: datetime | None = None
        super().__init__(*args, **kwargs)
        self.max_interval = math.ceil(self._conf.longest_sleep_seconds)

    def setup_schedule(self) -> None:
        """Nothing to load here: the plan is read at the first tick, when the service is up."""

    def stop(self) -> None:
        """No new pass; the one under way ends first."""
        self._stop.set()

    def tick(self, *_args: Any, **_kwargs: Any) -> float:
        """One pass, then an interruptible pause until the next fire time. Raises SystemExit when asked to stop."""
        if self._stop.is_set():
            raise SystemExit(0)
        handed_over = self._run_pass(_clock())
        self._ledger.flush()
        self._stop.wait(self._pause(_clock(), handed_over))
        return 0.0

    def sync(self) -> None:
        """What the ledger still holds is written."""
        self._ledger.flush()

    def close(self) -> None:
        """Ledger written, beat signed off, connections closed last."""
        self.sync()
        try:
            beats.retire(client(), self._conf, self._beat_id)
        except RedisError as error:
            logger.warning("beat %s could not sign off and runs out by itself: %r", self._beat_id, error)
        connection.close()
        logger.info("beat %s stopped", self._beat_id)

    def _run_pass(self, now: datetime) -> bool:
        self._refresh(now)
        if self._dispatch is None or self._plan is None:
            return False
        handed_over = self._dispatch.run_pass(now)
        self._report(now, self._plan)
        return handed_over

    def _refresh(self, now: datetime) -> None:
        """Reads the definitions; while PostgreSQL is away the beat goes on with those it has."""
        if self._refreshed_at and (now - self._refreshed_at).total_seconds() < self._conf.refresh_seconds:
            return
        try:
            if self._plan is None:
                end_one_offs()
            definitions, rejected = self._reader.read()
            if self._plan is None:
                self._start(Plan(last_slots()))
        except Error as error:
            logger.warning("definitions not read, going on with those in memory: %s", error)
            connection.close()
            return
        assert self._plan is not None  # noqa: S101 made above, or before
        self._plan.refresh(definitions, now)
        self._tell_rejected(rejected)
        self._refreshed_at = now

    def _start(self, plan: Plan) -> None:
        guard = Guard(client(), self._beat_id, self._conf)
        self._plan = plan
        logger.info("beat %s starts with the definitions it has read", self._beat_id)
        self._dispatch = Dispatch(
            plan, guard, lambda orders: publisher.publish(self.app, orders), self._ledger, self._conf
        )

    def _tell_rejected(self, rejected: dict[str, Rejected]) -> None:
        for name, why in rejected.items():
            if self._rejected.get(name) != why:
                logger.error("schedule %r cannot run: %s", name, why.reason)
        self._rejected = rejected

    def _report(self, now: datetime, plan: Plan) -> None:
        try:
            beats.report(
                client(),
                self._conf,
                self._beat_id,
                now,
                schedules=len(plan),
                rejected=len(self._rejected),
                next_time=plan.next_fire_time,
            )
        except RedisError as error:
            logger.warning("beat %s cannot report: %r", self._beat_id, error)

    def _pause(self, now: datetime, handed_over: bool) -> float:
        longest = self._conf.longest_sleep_seconds
        next_time = self._dispatch.next_time() if self._dispatch and handed_over else None
        if next_time is None:
            return longest
        return min(max((next_time - now).total_seconds(), 0.0), longest)


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 the beat's tick is an entry point


@beat_init.connect
def stop_on_signals(sender: beat.Service, **_kwargs: Any) -> None:
    """A signal lets the pass under way end; celery's own handler would break it off anywhere."""
    scheduler = sender.scheduler
    if not isinstance(scheduler, Scheduler) or threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: scheduler.stop())
