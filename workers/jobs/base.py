"""A job: a function of a run. One file in this folder with one `@job` is all a new one needs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workers import jobs
from workers.run import Run

TASK_PREFIX = "jobs."
JobFunction = Callable[..., Any]
_registry: dict[str, Job] = {}


class JobRefused(ValueError):
    """A job that cannot be registered, or parameters that do not fit it."""


@dataclass(frozen=True, slots=True)
class Job:
    """A registered job; its Celery task is `jobs.<name>`. With `per_account` a fan-out runs it for each account."""

    name: str
    function: Callable[..., Any]
    per_account: bool
    check_values: Callable[..., None] | None = None

    @property
    def task_name(self) -> str:
        """The name of its Celery task."""
        return TASK_PREFIX + self.name

    def check(self, params: Mapping[str, Any]) -> None:
        """Raises JobRefused when the function cannot be called with `params`, or the job's own check refuses them."""
        try:
            inspect.signature(self.function).bind(None, **params)
        except TypeError as error:
            raise JobRefused(f"job {self.name!r} does not take these parameters: {error}") from error
        if self.check_values is None:
            return
        try:
            self.check_values(**params)
        except ValueError as error:
            raise JobRefused(f"job {self.name!r}: {error}") from error


def job(
    name: str, *, per_account: bool = False, check: Callable[..., None] | None = None
) -> Callable[[JobFunction], JobFunction]:
    """Registers the decorated function `f(run, **params)` as the job `name`. Raises JobRefused for a name taken.

    `check(**params)` is called when a schedule is saved and raises ValueError for values that could never work.
    """

    def register(function: JobFunction) -> JobFunction:
        if name in _registry and _registry[name].function.__module__ != function.__module__:
            raise JobRefused(f"job {name!r} is registered twice: {_registry[name].function.__module__} has it already")
        _registry[name] = Job(name, function, per_account, check)
        return function

    return register


def discover() -> dict[str, Job]:
    """Imports every file of this folder and returns all jobs by name."""
    for module in pkgutil.iter_modules(jobs.__path__):
        importlib.import_module(f"{jobs.__name__}.{module.name}")
    return dict(_registry)


def find(name: str) -> Job:
    """The job of that name. Raises JobRefused with the known names."""
    known = discover()
    if name not in known:
        raise JobRefused(f"no job is named {name!r}: known are {', '.join(sorted(known))}")
    return known[name]


__all__ = ["Job", "JobRefused", "Run", "discover", "find", "job"]
