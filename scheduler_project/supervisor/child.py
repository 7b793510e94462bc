"""One supervised child process: started again when it dies, stopped within its budget, its output passed on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scheduler_project.embedded.identity import write_pid_file
from scheduler_project.supervisor.output import PrefixedOutput

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
_STEADY_SECONDS = 60.0
_AFTER_KILL_SECONDS = 2.0


@dataclass(frozen=True)
class ChildSpec:
    """What to run and how it is stopped: groups stop one after another, the children of a group side by side."""

    name: str
    command: tuple[str, ...]
    stop_group: int
    stop_seconds: float


@dataclass(frozen=True)
class Ending:
    """How a child ended: negative exit codes are signals, seconds count from the request to stop."""

    name: str
    exit_code: int | None
    seconds: float
    killed: bool
    restarts: int

    @property
    def is_clean(self) -> bool:
        """Whether it ended by itself, with 0, inside its budget."""
        return self.exit_code == 0 and not self.killed


class Child:
    """Keeps one process running until it is asked to stop."""

    def __init__(
        self, spec: ChildSpec, *, env: Mapping[str, str], cwd: Path, output: PrefixedOutput, pid_path: Path
    ) -> None:
        self.spec = spec
        self.restarts = 0
        self._env, self._cwd, self._output, self._pid_path = dict(env), cwd, output, pid_path
        self._process: subprocess.Popen[str] | None = None
        self._spawning = threading.Lock()
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._asked_at = 0.0

    @property
    def pid(self) -> int | None:
        """Process id of the running process; None between two lives and after the end."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    def start(self) -> None:
        """Start the process and the thread that watches over it."""
        threading.Thread(target=self._keep_running, name=f"watch-{self.spec.name}", daemon=True).start()

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the process (its own children are its own business) and start it no more."""
        with self._spawning:
            self._stopping.set()
            self._asked_at = time.monotonic()
            self._signal(signal.SIGTERM)

    def wait_for_end(self, budget: float) -> Ending:
        """Wait for the end until budget seconds after the request; past that the whole group is killed."""
        remaining = self._asked_at + budget - time.monotonic()
        killed = not self._ended.wait(max(0.0, remaining))
        if killed:
            self.kill_group()
            self._ended.wait(_AFTER_KILL_SECONDS)
        code = None if self._process is None else self._process.returncode
        return Ending(self.spec.name, code, time.monotonic() - self._asked_at, killed, self.restarts)

    def kill(self) -> None:
        """SIGKILL the process alone, as an accident would."""
        self._signal(signal.SIGKILL)

    def kill_group(self) -> None:
        """SIGKILL the process and all it started. Takes no lock: a signal handler may call it."""
        pid = self.pid
        if pid is not None:
            _kill_group(pid)

    def _keep_running(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while (process := self._spawn()) is not None:
            began = time.monotonic()
            self._pass_output_on(process)
            if self._stopping.is_set():
                break
            pause = _FIRST_PAUSE_SECONDS if time.monotonic() - began > _STEADY_SECONDS else pause
            self._output.line(
                self.spec.name, f"ended unexpectedly ({describe(process.returncode)}); starts again in {pause:g} s"
            )
            if self._stopping.wait(pause):
                break
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
            self.restarts += 1
        self._pid_path.unlink(missing_ok=True)
        self._ended.set()

    def _spawn(self) -> subprocess.Popen[str] | None:
        with self._spawning:
            if self._stopping.is_set():
                return None
            try:
                self._process = self._popen()
            except OSError as error:
                self._output.line(self.spec.name, f"cannot be started: {error}")
                return None
            write_pid_file(self._pid_path, self._process.pid)
            return self._process

    def _popen(self) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 our own command
            self.spec.command,
            env=self._env,
            cwd=self._cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def _pass_output_on(self, process: subprocess.Popen[str]) -> None:
        """Return when the process has ended and its last lines are printed."""
        assert process.stdout is not None  # noqa: S101 it was opened as a pipe
        reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        reader.start()
        process.wait()
        # Grandchildren that outlive it would hold the pipe open and compete with its successor.
        _kill_group(process.pid)
        reader.join(_AFTER_KILL_SECONDS)

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self._output.line(self.spec.name, line.rstrip("\n"))

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


def describe(exit_code: int | None) -> str:
    """An exit code in words: `exit code 3`, `signal SIGKILL`."""
    if exit_code is None:
        return "still running"
    if exit_code >= 0:
        return f"exit code {exit_code}"
    return f"signal {signal.Signals(-exit_code).name}"


def _kill_group(pid: int) -> None:
    # macOS answers PermissionError for a group of zombies only.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
