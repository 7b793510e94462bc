"""What a job gets: whose run it is, its key, a transaction that is fenced, and a way to stop."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property

from django.db import transaction

from schedules.stamp import Stamp
from workers import lease as leases
from workers.drain import drain
from workers.heartbeat import Kept
from workers.lease import HeldLease, LeaseLost
from workers.models import Account

current_run: ContextVar[Run] = ContextVar("current_run")


@dataclass
class Run:
    """One run under its lease."""

    stamp: Stamp
    kept: Kept

    @property
    def lease(self) -> HeldLease:
        """The lease the run is done under."""
        return self.kept.lease

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this run: hand it to whatever must not happen twice."""
        return self.stamp.idempotency_key

    @cached_property
    def account(self) -> Account:
        """The account of a fan-out's run. Raises Account.DoesNotExist when it was deleted, or the run has none."""
        return Account.objects.get(key=self.stamp.account)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """The transaction for the run's changes and their events.

        Raises LeaseLost before the commit, and rolls everything back, when another worker has taken the run over.
        """
        with transaction.atomic():
            yield
            leases.assert_mine(self.lease)

    def checkpoint(self) -> None:
        """A point at which the run may be left. Raises Interrupted when the process stops, LeaseLost when it must."""
        drain.checkpoint()
        # A database that does not answer holds the heartbeat as well: the end of its trust is looked at here.
        if self.kept.lost or time.monotonic() >= self.kept.trusted_until:
            raise LeaseLost(f"the lease of run {self.idempotency_key} was lost: stop here")

    def wait(self, seconds: float) -> None:
        """A pause inside a run, left at once when the process stops. Raises as `checkpoint` does."""
        drain.wait(seconds)
        self.checkpoint()
