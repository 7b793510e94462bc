"""Prints the lines of many children into one stream, each behind its name."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from typing import TextIO

_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92)


class PrefixedOutput:
    """One stream shared by many threads: whole lines only, names aligned, coloured when a terminal shows them."""

    def __init__(self, stream: TextIO, names: Iterable[str] = ()) -> None:
        self._stream = stream
        self._coloured = stream.isatty()
        self._lock = threading.Lock()
        self._colours: dict[str, int] = {}
        self._width = 0
        self.expect(names)

    def expect(self, names: Iterable[str]) -> None:
        """Make room for these names and give each a colour."""
        for name in names:
            self._width = max(self._width, len(name))
            self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])

    def line(self, name: str, text: str) -> None:
        """Print one line of a child."""
        prefix = f"{name:<{self._width}} |"
        if self._coloured and name in self._colours:
            prefix = f"\033[{self._colours[name]}m{prefix}\033[0m"
        self.plain(f"{prefix} {text}")

    def plain(self, text: str) -> None:
        """Print a line of the supervisor itself."""
        # A closed stream (`up | head`) must stop neither the children nor their supervisor.
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.write(f"{text}\n")
            self._stream.flush()
