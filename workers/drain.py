"""Stop taking, end what has begun until a deadline, give back the rest: one flag for a process and its children."""

from __future__ import annotations

import signal
import threading
from multiprocessing.sharedctypes import RawValue
from typing import Any

_LOOK_SECONDS = 0.1


class Interrupted(Exception):
    """The process is stopping; what was begun goes back and costs no attempt."""


class Drain:
    """Set once, by a signal. Made before a fork it is seen by the children: the flag lies in shared memory."""

    def __init__(self) -> None:
        self._shared = RawValue("b", 0)

    def begin(self) -> None:
        """From now on nothing new begins. Takes no lock: a signal's handler may have interrupted whoever holds it."""
        self._shared.value = 1

    def should_stop(self) -> bool:
        """Whether the process is stopping: for loops that can leave at any turn."""
        return bool(self._shared.value)

    def checkpoint(self) -> None:
        """A point at which the work may be left. Raises Interrupted when the process is stopping."""
        if self.should_stop():
            raise Interrupted("the process is stopping: the run is given back")

    def wait(self, seconds: float) -> bool:
        """Waits, less if the process stops meanwhile; whether it is stopping is returned."""
        pause = threading.Event()
        while seconds > 0 and not self.should_stop():
            pause.wait(min(_LOOK_SECONDS, seconds))
            seconds -= _LOOK_SECONDS
        return self.should_stop()

    def on_signals(self) -> None:
        """SIGTERM and SIGINT begin the drain: for processes that are their own masters."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: Any) -> None:
        self.begin()


drain = Drain()
