"""The Celery tasks of the platform: the umbrella `fan_out`, and one task `jobs.<name>` for each job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from celery import current_task, shared_task

from workers import fan_out as fan_outs
from workers import worker_signals  # noqa: F401 connects the drain where tasks are run
from workers.jobs import base
from workers.run import current_run
from workers.task import StampedTask


class NotStamped(RuntimeError):
    """A job's task was called by hand; jobs run only under a schedule, which gives them their identity."""


def _check_fan_out(job: str, params: dict[str, Any] | None = None, tenant: str = "") -> None:
    """Refuses an unknown job and parameters it does not take when a schedule is saved. Raises ValueError."""
    del tenant
    spec = base.find(job)
    if not spec.per_account:
        raise base.JobRefused(f"job {job!r} is not for accounts: schedule its task {spec.task_name!r} itself")
    spec.check(params or {})


@shared_task(name="fan_out", base=StampedTask, check_arguments_of_schedule=staticmethod(_check_fan_out))
def fan_out(job: str, params: dict[str, Any] | None = None, tenant: str = "") -> dict[str, int]:
    """Runs `job` with `params` once for each enabled account, of one tenant if it is named."""
    spec = base.find(job)
    spec.check(params or {})
    record = fan_outs.fan_out(
        _current("fan_out"),
        spec.task_name,
        params or {},
        tenant=tenant,
        priority=(current_task.request.delivery_info or {}).get("priority"),
        finished_at=datetime.now(UTC),  # noqa: TID251 a task is an entry point
    )
    return {"published": record.published, "skipped": record.skipped}


def _current(task: str) -> Any:
    run = current_run.get(None)
    if run is None:
        raise NotStamped(f"task {task!r} was called without a schedule: use `manage.py schedules trigger NAME`")
    return run


def _register(spec: base.Job) -> None:
    def check(*args: Any, **params: Any) -> None:
        if args:
            raise base.JobRefused(f"job {spec.name!r} takes no positional arguments: put them into kwargs, by name")
        spec.check(params)

    @shared_task(name=spec.task_name, base=StampedTask, check_arguments_of_schedule=staticmethod(check))
    def run_job(**params: Any) -> Any:
        return spec.function(_current(spec.task_name), **params)


for _spec in base.discover().values():
    _register(_spec)
