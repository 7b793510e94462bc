"""The drain flag: set once, ends every wait early, turns checkpoints into Interrupted."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from types import FrameType
from typing import Any

import pytest

from workers.drain import Drain, Interrupted


@pytest.fixture
def own_signals() -> Generator[None]:
    """Puts the handlers of the test process back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_nothing_stops_before_it_begins() -> None:
    drain = Drain()
    drain.checkpoint()
    assert not drain.should_stop()
    assert not drain.wait(0.01)


def test_after_it_began_a_checkpoint_is_left() -> None:
    drain = Drain()
    drain.begin()
    assert drain.should_stop()
    with pytest.raises(Interrupted, match="given back"):
        drain.checkpoint()


def test_a_wait_that_began_before_ends_early() -> None:
    drain = Drain()
    outcome: list[bool] = []
    waiter = threading.Thread(target=lambda: outcome.append(drain.wait(60)))
    waiter.start()
    began = time.monotonic()
    drain.begin()
    waiter.join(10)
    assert outcome == [True]
    assert time.monotonic() - began < 1


def test_a_wait_takes_its_time_when_nothing_stops() -> None:
    began = time.monotonic()
    assert not Drain().wait(0.15)
    assert 0.14 < time.monotonic() - began < 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.usefixtures("own_signals")
def test_a_signal_begins_it(number: signal.Signals) -> None:
    drain = Drain()
    drain.on_signals()
    os.kill(os.getpid(), number)
    assert drain.wait(10)


def test_a_signal_may_interrupt_a_wait_at_any_of_its_steps() -> None:
    """Python runs a handler between any two steps, also while the interrupted code holds the lock of an Event."""
    drain = Drain()

    def interrupt(frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line" and frame.f_code.co_filename == threading.__file__:
            drain.begin()
        return interrupt

    def wait_and_be_interrupted() -> None:
        sys.settrace(interrupt)
        drain.wait(0.01)
        sys.settrace(None)

    waiter = threading.Thread(target=wait_and_be_interrupted, daemon=True)
    waiter.start()
    waiter.join(5)
    assert not waiter.is_alive(), "the handler waits for a lock that the code it interrupted holds"
    assert drain.should_stop()
