"""Tasks for a real worker under test: what they reach is written to a Redis list that the test reads."""

from __future__ import annotations

import threading

from celery import shared_task

from schedules.redis import client
from workers.run import current_run

LIST = "tests:long"


def reached(name: str, what: str) -> None:
    """Tells the test."""
    client().rpush(LIST, f"{name} {what}")


@shared_task(name="tests.polite")
def polite(name: str, seconds: float) -> None:
    """Waits as a job should: it leaves when the process stops."""
    reached(name, "begun")
    current_run.get().wait(seconds)
    reached(name, "ended")


@shared_task(name="tests.deaf")
def deaf(name: str, seconds: float) -> None:
    """Works on whatever happens, as a task of another package does."""
    reached(name, "begun")
    threading.Event().wait(seconds)
    reached(name, "ended")
