"""Stand-in children for supervisor tests: tiny programs whose lines and endings a test can foresee."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

from scheduler_project.supervisor.child import Child, ChildSpec
from scheduler_project.supervisor.output import PrefixedOutput
from tests.support.waiting import wait_for

OBEDIENT = """
import signal, sys
def leave(*_):
    print("leaves", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
signal.pause()
"""
STUBBORN = """
import signal
signal.signal(signal.SIGTERM, lambda *_: print("stays", flush=True))
print("ready", flush=True)
while True:
    signal.pause()
"""
WITH_A_CHILD = """
import signal, subprocess, sys
inner = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
print("inner", inner.pid, flush=True)
signal.pause()
"""
FAILING = "print('no such luck'); raise SystemExit(3)"


class Stage:
    """Makes children that print into one text, and waits for their lines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stream = io.StringIO()
        self._output = PrefixedOutput(self._stream)

    @property
    def lines(self) -> list[str]:
        """All lines printed so far."""
        return self._stream.getvalue().splitlines()

    def child(self, name: str, program: str, *, stop_group: int = 1, stop_seconds: float = 10) -> Child:
        """A child that runs a Python program."""
        spec = ChildSpec(name, (sys.executable, "-c", program), stop_group, stop_seconds)
        return Child(
            spec, env=os.environ, cwd=self._folder, output=self._output, pid_path=self._folder / "run" / f"{name}.pid"
        )

    def wait_for_line(self, line: str, *, times: int = 1) -> None:
        """Return once the line was printed so many times."""
        wait_for(lambda: self.lines.count(line) >= times, what=f"{times} x {line!r} among the printed lines")
