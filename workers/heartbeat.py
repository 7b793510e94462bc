"""Keeps the leases of this process alive from a thread of its own, on a connection of its own."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import Error, connection, transaction

from workers import lease as leases
from workers.lease import HeldLease

logger = logging.getLogger(__name__)

LONGEST_SECONDS = 60.0
_LOOK_SECONDS = 0.5
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '1s'"


def heartbeat_seconds(lease_seconds: float) -> float:
    """How often a lease is prolonged: a third of its length, at most a minute."""
    return min(LONGEST_SECONDS, lease_seconds / 3)


@dataclass(slots=True)
class Kept:
    """A lease that is being kept; `lost` once another worker has it or it could not be prolonged in time."""

    lease: HeldLease
    next_at: float
    trusted_until: float
    lost: bool = False


class Heartbeats:
    """The leases held by one process. Times are monotonic seconds; a lease is trusted for less than its length."""

    def __init__(self) -> None:
        self._kept: dict[int, Kept] = {}
        self._guard = threading.Lock()
        self._awake = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def keep(self, lease: HeldLease, asked_at: float) -> Generator[Kept]:
        """Prolongs `lease` while the block runs; `asked_at` is the monotonic second before it was acquired."""
        period = heartbeat_seconds(lease.lease_seconds)
        kept = Kept(lease, asked_at + period, asked_at + lease.lease_seconds)
        with self._guard:
            self._kept[lease.id] = kept
            self._start()
        try:
            yield kept
        finally:
            with self._guard:
                self._kept.pop(lease.id, None)

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._loop, name="lease-heartbeats", daemon=True)
            self._thread.start()
        self._awake.set()

    def _loop(self) -> None:
        pause = threading.Event()
        while True:
            self._awake.wait()
            self._beat(time.monotonic())
            with self._guard:
                if not self._kept:
                    self._awake.clear()
            pause.wait(_LOOK_SECONDS)

    def _beat(self, now: float) -> None:
        with self._guard:
            due = [kept for kept in self._kept.values() if kept.next_at <= now and not kept.lost]
        for kept in due:
            self._beat_one(kept, now)

    def _beat_one(self, kept: Kept, now: float) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_LOCK_TIMEOUT)
                alive = leases.heartbeat(kept.lease)
        except Error as error:
            logger.warning("heartbeat of run %s failed: %s", kept.lease.idempotency_key, error)
            connection.close()
            kept.lost = time.monotonic() >= kept.trusted_until
            return
        kept.lost = not alive
        kept.next_at = now + heartbeat_seconds(kept.lease.lease_seconds)
        kept.trusted_until = now + kept.lease.lease_seconds


_of_process: dict[int, Heartbeats] = {}


def heartbeats() -> Heartbeats:
    """The heartbeats of this process; a forked child starts its own."""
    return _of_process.setdefault(os.getpid(), Heartbeats())
