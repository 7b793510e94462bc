"""Turns SIGTERM, SIGINT and SIGHUP into a request to stop that can be waited for; a second one calls for haste."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable
from types import FrameType, TracebackType

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopAsked(Exception):
    """Somebody asked to stop while the start was under way."""


class StopSignals:
    """Inside its `with` block a signal only writes to a pipe: nothing is interrupted half-way."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._previous: dict[int, signal._HANDLER] = {}
        self.asked = False
        self.on_second: Callable[[], None] | None = None

    def __enter__(self) -> StopSignals:
        for number in _NUMBERS:
            self._previous[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a request, at most so many seconds; says whether there is one."""
        readable, _, _ = select.select([self._reader], [], [], seconds)
        return bool(readable)

    def check(self) -> None:
        """Raise StopAsked if there was a request."""
        if self.asked:
            raise StopAsked

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if not self.asked:
            self.asked = True
            os.write(self._writer, b"!")
        elif self.on_second is not None:
            self.on_second()
