"""The base class of every Celery task of the project: a stamped message is executed under its lease.

Also tasks of other packages that know nothing of stamps: `shared_task` takes the app's base class.
"""

from __future__ import annotations

from typing import Any

from celery import Task
from celery.exceptions import Reject
from django.db import close_old_connections

from schedules.stamp import Stamp
from workers import execution
from workers.drain import Interrupted

_BEHIND_THE_LEASE_SECONDS = 1.0


class StampedTask(Task):  # type: ignore[type-arg] # celery-types makes Task generic, celery does not
    """Runs unstamped messages as celery does, stamped ones by `execution`."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Called by the worker for each message; a database connection that has broken is opened anew first."""
        close_old_connections()
        stamp = Stamp.from_headers(self.request.headers)
        if stamp is None:
            return super().__call__(*args, **kwargs)
        run = super().__call__
        try:
            return execution.execute(stamp, lambda: run(*args, **kwargs), self.request.hostname or "")
        except Interrupted as interruption:
            raise Reject(str(interruption), requeue=True) from interruption
        except execution.Busy as busy:
            raise self.retry(countdown=busy.seconds + _BEHIND_THE_LEASE_SECONDS, max_retries=None) from busy
