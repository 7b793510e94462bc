"""Embedded servers for one run only: a temporary data folder, and a guard that clears up even after a `kill -9`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from scheduler_project.embedded.servers import EmbeddedServers

_CHECKOUT = Path(__file__).parents[2]


class ThrowAwayServers:
    """Servers on free ports whose data is deleted at the end, or a given data folder that is kept."""

    def __init__(self, data_dir: Path | None = None) -> None:
        self._keep = data_dir is not None
        self.data_dir = (data_dir or Path(tempfile.mkdtemp(prefix="slotbeat-"))).resolve()
        self._servers = EmbeddedServers(self.data_dir, usual_ports=False)
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self) -> dict[str, str]:
        """Start the servers and the guard; returns environment variable -> address. Raises EmbeddedServerError."""
        self._guard = self._start_guard()
        try:
            return self._servers.start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the servers, delete what was temporary and let the guard go; a second call does nothing."""
        self._servers.stop()
        if not self._keep:
            shutil.rmtree(self.data_dir, ignore_errors=True)
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    def __enter__(self) -> dict[str, str]:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start_guard(self) -> subprocess.Popen[bytes]:
        # The guard reads this pipe: it ends with the process that holds the other side, however that ends.
        command = [sys.executable, "-m", "scheduler_project.embedded.guard", str(self.data_dir)]
        if self._keep:
            command.append("--keep")
        return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, cwd=_CHECKOUT)  # noqa: S603 our own command
