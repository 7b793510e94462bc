"""One batch of messages to the broker: normal Celery messages with the stamp in their headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from celery import Celery
from celery import exceptions as celery_errors
from kombu import exceptions as kombu_errors
from redis import RedisError

from schedules.stamp import Stamp

# What a broker that is away or will not take a message raises; anything else is a fault of ours and is not caught.
PUBLISH_ERRORS = (OSError, RedisError, kombu_errors.KombuError, celery_errors.CeleryError)


@dataclass(frozen=True, slots=True)
class Order:
    """One message to be: what runs, with what, and its stamp. `options` are those of Celery's send_task."""

    stamp: Stamp
    task: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def publish(app: Celery, orders: Sequence[Order]) -> None:
    """Sends all, on Redis in one pipeline.

    Raises one of PUBLISH_ERRORS when the broker did not take them; some may have gone all the same, under their ids.
    """
    with app.producer_or_acquire() as producer, producer.batch():
        for order in orders:
            app.send_task(
                order.task,
                args=list(order.args),
                kwargs=dict(order.kwargs),
                task_id=order.stamp.slot_id,
                producer=producer,
                retry=False,
                **_with_stamp(order),
            )


def _with_stamp(order: Order) -> dict[str, Any]:
    own = {"periodic_task_name": order.stamp.schedule, **order.stamp.to_headers()}
    return {**order.options, "headers": {**(order.options.get("headers") or {}), **own}}
