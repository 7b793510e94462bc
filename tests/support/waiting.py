"""Waits on conditions in tests instead of sleeping: as short as possible, with a telling failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")
_PAUSE_SECONDS = 0.02


def wait_for(condition: Callable[[], T | None], *, timeout: float = 10, what: str) -> T:
    """The first true value of condition(); fails the test, naming what and the last value, after timeout seconds."""
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while not (value := condition()):
        if time.monotonic() >= deadline:
            pytest.fail(f"Waited {timeout:g} s in vain for {what}; the last value was {value!r}.")
        pause.wait(_PAUSE_SECONDS)
    return value
