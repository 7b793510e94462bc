"""Stamp: a definition at a fire time becomes the order of one message."""

from __future__ import annotations

from datetime import datetime, timedelta

from schedules.definitions import Definition
from schedules.publisher import Order
from schedules.stamp import Stamp, Trigger, manual_id, slot_id


def order_for(definition: Definition, fire_time: datetime, trigger: Trigger) -> Order:
    """The order of the slot of `definition` at `fire_time`."""
    return _order(definition, fire_time, trigger, slot_id(definition.name, fire_time), fire_time + definition.jitter)


def manual_order(definition: Definition, token: str, now: datetime) -> Order:
    """The order of a run a person asked for `now`; `token` is fresh lower-case hex. It has the row's own options."""
    return _order(definition, now, Trigger.MANUAL, manual_id(definition.name, token), now)


def _order(definition: Definition, instant: datetime, trigger: Trigger, identity: str, start: datetime) -> Order:
    deadline = start + _patience(definition)
    stamp = Stamp(
        slot_id=identity,
        schedule=definition.name,
        scheduled_for=instant,
        trigger=trigger,
        overlap=definition.overlap,
        deadline=deadline,
        lease_seconds=definition.lease_seconds,
    )
    options = dict(definition.options)
    if definition.expire_seconds:
        options["expires"] = deadline
    return Order(stamp, definition.task, definition.args, definition.kwargs, options)


def _patience(definition: Definition) -> timedelta:
    """How long after its instant a run may still start: the row's expiry, else its catch-up window."""
    if definition.expire_seconds:
        return timedelta(seconds=definition.expire_seconds)
    return definition.misfire.window
