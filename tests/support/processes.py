"""Real processes of the project on the test's own database and Redis number; none outlives its test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended, and how long it took from the signal."""

    code: int
    seconds: float


class Processes:
    """Starts processes whose output goes to files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str, **environment: str) -> subprocess.Popen[bytes]:
        """Runs `python COMMAND` in a session of its own."""
        with (self._folder / f"{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=CHECKOUT,
                env={**os.environ, **_addresses(), **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def stop(self, process: subprocess.Popen[bytes], number: signal.Signals, timeout: float = 30) -> Ending:
        """Sends the signal to the process alone, as a container's runtime does, and waits for its end."""
        began = time.monotonic()
        process.send_signal(number)
        return Ending(process.wait(timeout), time.monotonic() - began)

    def output(self) -> str:
        """What all of them have printed."""
        return "\n".join(log.read_text(errors="replace") for log in sorted(self._folder.glob("*.log")))

    def kill_all(self) -> None:
        """Leaves none behind, nor any child of theirs."""
        for process in self._started:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait(10)


def _addresses() -> dict[str, str]:
    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}")
    return {
        "DATABASE_URL": urlunsplit(database),
        "REDIS_URL": settings.REDIS_URL,
        "KAFKA_BOOTSTRAP_SERVERS": settings.KAFKA_BOOTSTRAP_SERVERS,
    }
