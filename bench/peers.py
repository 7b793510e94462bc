"""Peers that the project does not depend on: a virtualenv of their own with pinned versions, and processes in it.

A process answers each line it is sent with one line of JSON, so that its rounds can stand between those of others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from bench.harness import CHECKOUT

_GRACE_SECONDS = 10


class PeerMissing(RuntimeError):
    """A peer could not be installed, or its process ended."""


def peer_folder(bench: str) -> Path:
    """Where a bench keeps its peers: in the data folder, beside what else can be made anew."""
    return Path(os.environ.get("SLOTBEAT_DATA_DIR") or CHECKOUT / "var").resolve() / "bench" / bench


def peer_python(folder: Path, pins: Sequence[str]) -> Path:
    """The interpreter of a virtualenv in `folder` that holds exactly `pins`; made when it is not there.

    Raises PeerMissing with pip's last words when the pins cannot be had.
    """
    python, marker = folder / "bin" / "python", folder / ".installed"
    wanted = "\n".join([*pins, sys.version])
    if python.exists() and marker.exists() and marker.read_text() == wanted:
        return python
    sys.stderr.write(f"installing {', '.join(pins)} into a virtualenv of their own\n")
    venv.create(folder, clear=True, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *pins]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 our own command
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["pip said nothing"]
        raise PeerMissing(f"{', '.join(pins)} cannot be installed ({last[0]}): is the package index reachable?")
    marker.write_text(wanted)
    return python


class PeerProcess:
    """`python -m module arguments` from the checkout, for the length of a `with`; it greets with a line of JSON."""

    def __init__(self, python: Path, module: str, *arguments: str) -> None:
        self._command = [str(python), "-m", module, *arguments]
        self._module = module
        self.greeting: Any = None

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, cwd=CHECKOUT, stdin=pipe, stdout=pipe, text=True)  # noqa: S603 our own command
        try:
            self.greeting = self._answer()
        except PeerMissing:
            self._close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._close()

    def ask(self, line: str = "") -> Any:
        """Sends one line and gives the answer. Raises PeerMissing when the process has ended."""
        with suppress(BrokenPipeError):
            _open(self._process.stdin).write(f"{line}\n")
            _open(self._process.stdin).flush()
        return self._answer()

    def _answer(self) -> Any:
        line = _open(self._process.stdout).readline()
        if not line:
            raise PeerMissing(f"{self._module} ended with code {self._process.wait()}: its last words are above")
        return json.loads(line)

    def _close(self) -> None:
        """The end of its input ends the process."""
        with suppress(BrokenPipeError):
            _open(self._process.stdin).close()
        try:
            self._process.wait(timeout=_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _open(self._process.stdout).close()


def _open(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise PeerMissing("the process was started without a pipe")
    return pipe


def fresh_process(module: str, *arguments: str) -> Any:
    """The JSON that `module` prints, run in a process of its own with cold caches."""
    with PeerProcess(Path(sys.executable), module, *arguments) as process:
        return process.greeting
