"""One embedded server as a process: started in a session of its own, logged to a file, remembered in a pid file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.identity import ProcessIdentity, read_pid_file, write_pid_file
from scheduler_project.embedded.system_user import SystemUser, drop_to

_LOG_BYTES_KEPT = 10_000_000
_PAUSE_SECONDS = 0.01
_KILL_SECONDS = 2.0


class ServerProcess:
    """Starts, watches and stops the program behind one embedded server."""

    def __init__(self, name: str, data_dir: Path) -> None:
        self.name = name
        self.log_path = data_dir / "logs" / f"{name}.log"
        self._pid_path = pid_path(data_dir, name)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id of the running server. Raises EmbeddedServerError when it was not started."""
        if self._process is None:
            raise EmbeddedServerError(f"The embedded {self.name} was not started.")
        return self._process.pid

    def start(
        self, command: Sequence[str], *, cwd: Path, user: SystemUser | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """Start the program; it gets no signal from the terminal, since that is the supervisor's business."""
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        _rotate(self.log_path)
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 our own command
                command,
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **drop_to(user),
            )
        write_pid_file(self._pid_path, self._process.pid)

    def has_ended(self) -> bool:
        """Whether the program ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def wait_until(self, is_ready: Callable[[], bool], timeout: float) -> None:
        """Return once is_ready() holds; raises EmbeddedServerError when the program ends or the seconds run out."""
        deadline = time.monotonic() + timeout
        while not is_ready():
            if self.has_ended():
                raise EmbeddedServerError(self._complaint("ended while starting"))
            if time.monotonic() > deadline:
                raise EmbeddedServerError(self._complaint(f"did not answer within {timeout:g} s"))
            threading.Event().wait(_PAUSE_SECONDS)

    def stop(self, polite: signal.Signals, budget: float) -> None:
        """Ask the program to end; kill its whole group when it has not after budget seconds."""
        if self._process is None:
            return
        self._process.send_signal(polite)
        try:
            self._process.wait(budget)
        except subprocess.TimeoutExpired:
            _kill_group(self._process.pid)
            self._process.wait(_KILL_SECONDS)
        self._process = None
        self._pid_path.unlink(missing_ok=True)

    def _complaint(self, what: str) -> str:
        return f"The embedded {self.name} {what}. The end of {self.log_path}:\n{_tail(self.log_path)}"


def pid_path(data_dir: Path, name: str) -> Path:
    """Where the pid file of a server or a supervised child lies."""
    return data_dir / "run" / f"{name}.pid"


def stop_leftover(path: Path, polite: signal.Signals, budget: float) -> bool:
    """Stop the process a pid file names if exactly that one still runs; says whether there was one."""
    identity = read_pid_file(path)
    found = identity is not None and identity.is_alive()
    if identity is not None and found:
        _end(identity, polite, budget)
    path.unlink(missing_ok=True)
    return found


def _end(identity: ProcessIdentity, polite: signal.Signals, budget: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(identity.pid, polite)
    if not _gone_within(identity, budget):
        _kill_group(identity.pid)
        _gone_within(identity, _KILL_SECONDS)


def _gone_within(identity: ProcessIdentity, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while identity.is_alive():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(_PAUSE_SECONDS)
    return True


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > _LOG_BYTES_KEPT:
        log.replace(log.with_suffix(".log.1"))


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
