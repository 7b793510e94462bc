"""What a person may do to the selected schedules; each message names the schedules it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django_celery_beat.models import PeriodicTask
from redis import RedisError

from schedules.admin.outlook import problem_of, reason
from schedules.handover import Outcome
from schedules.manual import NotHandedOver, run_now

_NAMED = 10  # more names than that are counted, not listed


@admin.action(description="Enable selected tasks", permissions=["change"])
def enable_tasks(page: Any, request: HttpRequest, rows: QuerySet[Any]) -> None:
    """Enables what can run."""
    _switch(page, request, rows, lambda _row: True)


@admin.action(description="Disable selected tasks", permissions=["change"])
def disable_tasks(page: Any, request: HttpRequest, rows: QuerySet[Any]) -> None:
    """Disables all."""
    _switch(page, request, rows, lambda _row: False)


@admin.action(description="Toggle activity of selected tasks", permissions=["change"])
def toggle_tasks(page: Any, request: HttpRequest, rows: QuerySet[Any]) -> None:
    """Enables the disabled ones that can run, disables the enabled ones."""
    _switch(page, request, rows, lambda row: not row.enabled)


@admin.action(description="Run selected tasks", permissions=["change"])
def run_tasks(page: Any, request: HttpRequest, rows: QuerySet[Any]) -> None:
    """Dispatches one run of each; stops at the first that finds the broker away."""
    now = datetime.now(UTC)  # noqa: TID251 a page is an entry point
    started: list[str] = []
    refused: list[str] = []
    for row in rows:
        try:
            problem = problem_of(row) or _run(row, now)
        except (RedisError, NotHandedOver, ImproperlyConfigured) as error:
            page.message_user(
                request,
                f"{row.name!r} and what follows it was not run, the broker cannot be reached: {error}",
                messages.ERROR,
            )
            break
        if problem:
            refused.append(f"{row.name!r} was not run: {problem}")
        else:
            started.append(row.name)
    _tell(page, request, started, "handed over to run now")
    _tell_refused(page, request, refused)


def _run(row: PeriodicTask, now: datetime) -> str:
    """Empty when the run was handed over, else why it was not."""
    result = run_now(row, now)
    return f"{result.holder} has not ended" if result.outcome is Outcome.OVERLAP else ""


def _switch(page: Any, request: HttpRequest, rows: Iterable[Any], wanted: Callable[[Any], bool]) -> None:
    enabled: list[str] = []
    disabled: list[str] = []
    unchanged: list[str] = []
    refused: list[str] = []
    for row in rows:
        target = wanted(row)
        if row.enabled == target:
            unchanged.append(row.name)
        elif problem := _set_enabled(row, target):
            refused.append(f"{row.name!r} was not enabled: {problem}")
        else:
            (enabled if target else disabled).append(row.name)
    _tell(page, request, enabled, "enabled")
    _tell(page, request, disabled, "disabled")
    _tell(page, request, unchanged, "left as they were", messages.INFO)
    _tell_refused(page, request, refused)


def _set_enabled(row: PeriodicTask, target: bool) -> str:
    """Saves the switch alone, so that counts a beat writes meanwhile stay; returns why it was refused."""
    row.enabled = target
    try:
        row.save(update_fields=["enabled", "last_run_at", "date_changed"])
    except ValidationError as error:
        return reason(error)
    return ""


def _tell(page: Any, request: HttpRequest, names: list[str], what: str, level: int = messages.SUCCESS) -> None:
    if names:
        page.message_user(request, f"{len(names)} {what}: {_listed(names)}", level)


def _tell_refused(page: Any, request: HttpRequest, refused: list[str]) -> None:
    for sentence in refused[:_NAMED]:
        page.message_user(request, sentence, messages.ERROR)
    if len(refused) > _NAMED:
        page.message_user(request, f"{len(refused) - _NAMED} more were refused: see their state below", messages.ERROR)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
