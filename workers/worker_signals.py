"""A stopping worker: its children see the drain flag, and what outlasts the budget is given back to the broker."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any

from billiard import pool
from celery.signals import worker_shutting_down

from workers.conf import conf
from workers.drain import drain

logger = logging.getLogger(__name__)

# A stopping child waits until its parent has counted every result. Under load billiard counts one too few in about
# every fourth stop; the child would then wait 30 seconds for nothing. The results themselves lie in the pipe by then.
pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = 10


@worker_shutting_down.connect
def begin_drain(**_kwargs: Any) -> None:
    """Fires in the parent; the flag lies in memory that its children share."""
    drain.begin()
    budget = threading.Timer(conf().drain_seconds, _cut_short)
    budget.daemon = True
    budget.start()


def _cut_short() -> None:
    """A warm shutdown has no end of its own: past the budget the rest goes back, and its leases run out."""
    logger.error("runs outlasted the drain budget of %s s: they go back to the broker", conf().drain_seconds)
    os.kill(os.getpid(), signal.SIGQUIT)
