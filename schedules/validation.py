"""Refused at the door: a schedule that could never run, with the field named, in admin, file, command and ORM alike."""

from __future__ import annotations

import difflib
from functools import lru_cache

from celery import current_app
from django.core.exceptions import ValidationError
from django_celery_beat.models import PeriodicTask
from kombu import Queue

from schedules.conf import conf
from schedules.definitions import Definition, define
from schedules.models import ScheduleOptions

ANY_TASK = "*"


def validate(row: PeriodicTask, options: ScheduleOptions | None = None) -> None:
    """Raises ValidationError, by field, when the enabled `row` names an unknown task or queue or cannot fire."""
    if errors := _unreachable(row.task, row.queue, row.exchange, row.routing_key):
        raise ValidationError(errors)
    try:
        definition = define(row, options)
    except ValueError as error:
        raise ValidationError(str(error)) from error
    if problem := unfit_arguments(definition):
        raise ValidationError({"kwargs": problem})
    if definition.rule.next_after(definition.since) is None and not row.one_off:
        raise ValidationError("It would never fire: its end lies before its first fire time.")


def refusal(definition: Definition) -> str:
    """Why nobody could run `definition`; empty when somebody can. For rows that no form has seen."""
    queue, exchange, routing_key = map(definition.options.get, ("queue", "exchange", "routing_key"))
    return " ".join(_unreachable(definition.task, queue, exchange, routing_key).values()) or unfit_arguments(definition)


def _unreachable(task: str, queue: str | None, exchange: str | None, routing_key: str | None) -> dict[str, str]:
    problems = {
        "task": unknown_task(task),
        "queue": unknown_queue(queue),
        "exchange": "" if queue else unknown_exchange(exchange, routing_key),
    }
    return {field: problem for field, problem in problems.items() if problem}


def known_tasks() -> list[str]:
    """The names a schedule may give as its task."""
    _load_tasks()
    own = [name for name in current_app.tasks if not name.startswith("celery.")]
    return sorted({*own, *conf().extra_tasks} - {ANY_TASK})


def known_queues() -> list[str]:
    """The queues that are declared, and so read by a worker."""
    return sorted(current_app.amqp.queues)


def unknown_task(name: str) -> str:
    """Why `name` cannot be a schedule's task; empty when it can."""
    _load_tasks()
    extra = conf().extra_tasks
    if name in current_app.tasks or name in extra or ANY_TASK in extra:
        return ""
    remedy = "Tasks of other code go into SLOTBEAT_EXTRA_TASKS."
    return f"No worker knows the task {name!r}; {_nearest(name, known_tasks())} {remedy}"


@lru_cache(maxsize=1)
def _load_tasks() -> None:
    """Tasks are registered when their modules are imported, which only a worker does by itself."""
    current_app.loader.import_default_modules()


def unknown_queue(name: str | None) -> str:
    """Why `name` cannot be a schedule's queue; empty when it can."""
    queues = known_queues()
    if not name or name in queues:
        return ""
    return f"No worker reads the queue {name!r}: declare it in CELERY_TASK_QUEUES, or use one of {', '.join(queues)}."


def unknown_exchange(exchange: str | None, routing_key: str | None) -> str:
    """Why a message sent through `exchange` would reach no queue; empty when it reaches one, or goes by queue name.

    Redis drops such a message without a word. Exchanges that match by pattern are left to the broker.
    """
    queues = current_app.amqp.queues.values()
    if not exchange or any(queue.exchange.name == exchange and _leads_to(queue, routing_key) for queue in queues):
        return ""
    named = ", ".join(sorted(f"{queue.exchange.name} ({queue.routing_key})" for queue in queues))
    return f"No queue is bound to exchange {exchange!r} with routing key {routing_key!r}: name a queue, or use {named}."


def _leads_to(queue: Queue, routing_key: str | None) -> bool:
    return queue.exchange.type != "direct" or queue.routing_key == (routing_key or "")


def unfit_arguments(definition: Definition) -> str:
    """Why the task cannot be called with the schedule's arguments; empty when it can, or is not known here.

    A task may say more than its signature does by an attribute `check_arguments_of_schedule` that raises ValueError.
    """
    task = current_app.tasks.get(definition.task)
    if task is None:
        return ""
    check = getattr(task, "check_arguments_of_schedule", None) or getattr(task, "__header__", None)
    try:
        if check is not None:
            check(*definition.args, **definition.kwargs)
    except (TypeError, ValueError) as error:
        return f"The task {definition.task!r} does not take these arguments: {error}"
    return ""


def _nearest(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(names)}."
