"""A Redis server of a test's own, to be stopped, paused and filled without a word to the others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from scheduler_project.embedded.valkey import EmbeddedValkey

CLOSED_PORT = "redis://127.0.0.1:1/0"


@contextmanager
def own_valkey() -> Iterator[EmbeddedValkey]:
    """Started on a free port, stopped at the end if it still runs; it may be stopped and started in between."""
    folder = Path(tempfile.mkdtemp(prefix="valkey-"))
    server = EmbeddedValkey(folder, preferred_port=None)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def impatient(url: str, wait_seconds: float = 0.3) -> Redis:
    """A client that gives up soon and does not try again."""
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=wait_seconds,
        socket_connect_timeout=wait_seconds,
        retry=Retry(NoBackoff(), 0),
    )


class Cable:
    """The line of one client to its server: pulled out, every call is refused as by a server that is away."""

    def __init__(self, url: str) -> None:
        self.client = impatient(url)
        self._port = self.client.connection_pool.connection_kwargs["port"]

    def pull(self) -> None:
        """The client reaches a closed port from now on."""
        self._lead_to(1)

    def plug_in(self) -> None:
        """The client reaches its server again."""
        self._lead_to(self._port)

    def _lead_to(self, port: int) -> None:
        pool = self.client.connection_pool
        pool.connection_kwargs["port"] = port
        pool.disconnect()
        pool.reset()
