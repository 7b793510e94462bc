"""Tells whether a process id still is the process that was started: the pid together with its start mark.

A pid alone may by now belong to somebody else; pid files keep both, so that only our own leftovers are ever touched.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class ProcessIdentity:
    """One process, told apart from every later one that gets the same pid."""

    pid: int
    start_mark: str

    def is_alive(self) -> bool:
        """Whether exactly this process still runs; a zombie does not."""
        return _start_mark(self.pid) == self.start_mark


def identify(pid: int) -> ProcessIdentity | None:
    """The identity of a running process; None when there is no such process."""
    mark = _start_mark(pid)
    return None if mark is None else ProcessIdentity(pid, mark)


def write_pid_file(path: Path, pid: int) -> None:
    """Remember a process that was just started; nothing is written when it has already ended."""
    identity = identify(pid)
    if identity is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{pid}.tmp")
    temporary.write_text(json.dumps({"pid": identity.pid, "start_mark": identity.start_mark}), encoding="utf-8")
    temporary.replace(path)


def read_pid_file(path: Path) -> ProcessIdentity | None:
    """The process a pid file names; None when there is no file or it holds no identity."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return ProcessIdentity(int(content["pid"]), str(content["start_mark"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _start_mark(pid: int) -> str | None:
    return _mark_from_proc(pid) if (_PROC / "self" / "stat").exists() else _mark_from_ps(pid)


def _mark_from_proc(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field, the command in brackets, may hold blanks and brackets itself.
    fields = stat.rpartition(")")[2].split()
    state, start_ticks = fields[0], fields[19]
    return None if state in "ZX" else start_ticks


def _mark_from_ps(pid: int) -> str | None:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split(maxsplit=1)  # noqa: S603 our own command
    if len(answer) != 2 or answer[0].startswith("Z"):
        return None
    return answer[1].strip()
