"""Runs as a worker would make them: under a real lease that is being kept."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from schedules.stamp import Stamp
from tests.support.workers import acquired, stamp_of
from workers import lease as leases
from workers.heartbeat import heartbeats
from workers.models import Account
from workers.run import Run, current_run


@contextmanager
def running(stamp: Stamp, *, lease_seconds: float = 60) -> Generator[Run]:
    """The run of a stamp, completed at the end of the block; a block that raises leaves its lease running."""
    asked_at = time.monotonic()
    held = acquired(stamp, lease_seconds)
    with heartbeats().keep(held, asked_at) as kept:
        run = Run(stamp, kept)
        token = current_run.set(run)
        try:
            yield run
        finally:
            current_run.reset(token)
    leases.complete(held)


def account(key: str = "acme-001", **fields: Any) -> Account:
    """A saved account whose endpoint is a path of its own."""
    return Account.objects.create(**{"key": key, "tenant": "acme", "endpoint": f"/acme/{key}", **fields})


@contextmanager
def account_run(of: Account, schedule: str = "slots") -> Generator[Run]:
    """One account's run."""
    with running(stamp_of(schedule, account=of.key)) as run:
        yield run
