"""Spreads schedules of one fire time over a window: each at its own, always the same, place in it. Pure."""

from __future__ import annotations

import hashlib
from datetime import timedelta

_MILLISECOND = timedelta(milliseconds=1)


def offset_of(name: str, window: timedelta) -> timedelta:
    """How long after its fire time the schedule `name` is dispatched: a stable share of `window`, in milliseconds.

    The slot keeps its fire time; only the hand-over waits. The name's hash decides, so that every beat agrees.
    """
    places = window // _MILLISECOND
    if places <= 0:
        return timedelta(0)
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % places * _MILLISECOND
