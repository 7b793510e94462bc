"""What is wrong with the settings of `workers` is said at the start, with an id and the remedy."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register

from workers.conf import conf
from workers.sinks.choice import NAMES

_POD_SECONDS = 60


@register("slotbeat")
def check_settings(**_kwargs: Any) -> list[CheckMessage]:
    """The settings of `workers`."""
    now = conf()
    messages: list[CheckMessage] = []
    if now.outbox_sink not in NAMES:
        messages.append(
            Error(
                f"SLOTBEAT_OUTBOX_SINK is {now.outbox_sink!r}: there is no such sink.",
                hint=f"Set it to {' or '.join(NAMES)}.",
                id="workers.E001",
            )
        )
    if not 1 <= now.drain_seconds <= _POD_SECONDS - 5:
        messages.append(
            Error(
                f"SLOTBEAT_DRAIN_SECONDS is {now.drain_seconds}: a pod is killed after {_POD_SECONDS} seconds.",
                hint="Set it between 1 and 55; 45 is the default.",
                id="workers.E002",
            )
        )
    return messages
