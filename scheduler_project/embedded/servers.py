"""The three embedded servers together: started side by side, named by environment variables, stopped in order."""

from __future__ import annotations

from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Protocol

from scheduler_project.embedded.kafka import EmbeddedKafka
from scheduler_project.embedded.postgres import EmbeddedPostgres
from scheduler_project.embedded.valkey import EmbeddedValkey

SERVER_NAMES = ("kafka", "valkey", "postgres")


class EmbeddedServer(Protocol):
    """What any wrapped server offers, so that another wheel can take a place."""

    variable: str

    @property
    def url(self) -> str: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


class EmbeddedServers:
    """All servers of one data folder, but for those whose environment variable is given as already served."""

    def __init__(self, data_dir: Path, *, served: Container[str] = (), usual_ports: bool = True) -> None:
        ports: dict[str, int | None] = {} if usual_ports else {"preferred_port": None}
        every: tuple[EmbeddedServer, ...] = (
            EmbeddedKafka(data_dir, **ports),
            EmbeddedValkey(data_dir, **ports),
            EmbeddedPostgres(data_dir),
        )
        self._servers = [server for server in every if server.variable not in served]

    @property
    def urls(self) -> dict[str, str]:
        """Environment variable -> address, for the servers started here."""
        return {server.variable: server.url for server in self._servers}

    def start(self) -> dict[str, str]:
        """Start all side by side and return their urls; when one fails the others are stopped again.

        Raises EmbeddedServerError.
        """
        try:
            self._on_all(lambda server: server.start())
        except BaseException:
            self.stop()
            raise
        return self.urls

    def stop(self) -> None:
        """Stop all; their clients have ended before, so the servers need no order among themselves."""
        self._on_all(lambda server: server.stop())

    def __enter__(self) -> dict[str, str]:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _on_all(self, action: Callable[[EmbeddedServer], None]) -> None:
        with ThreadPoolExecutor(max_workers=len(SERVER_NAMES), thread_name_prefix="embedded") as pool:
            for outcome in [pool.submit(action, server) for server in self._servers]:
                outcome.result()
