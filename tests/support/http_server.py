"""A real HTTP server on loopback that gives the answers a test wrote down, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Scripted:
    """One answer; `hangs` waits until the server closes, `breaks_off` closes the connection without an answer.

    `meanwhile` is called, in the server's thread, before the answer is sent.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    breaks_off: bool = False
    meanwhile: Callable[[], object] | None = None


@dataclass(frozen=True)
class Asked:
    """A request as it came in; header names are in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def answer(value: Any, status: int = 200, **headers: str) -> Scripted:
    """A JSON answer; `Retry_After="1"` names a header."""
    return Scripted(
        status, json.dumps(value).encode(), {name.replace("_", "-"): text for name, text in headers.items()}
    )


class ScriptedServer(ThreadingHTTPServer):
    """Gives its answers in order, the last one again and again."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: list[Scripted]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self.connections: set[tuple[str, int]] = set()
        self._guard = threading.Lock()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def next_answer(self, asked: Asked, client: tuple[str, int]) -> Scripted:
        """Remembers the request and chooses its answer."""
        with self._guard:
            self.asked.append(asked)
            self.connections.add(client)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.command, self.path, {name.lower(): text for name, text in self.headers.items()}, body)
        scripted = self.server.next_answer(asked, self.client_address)
        if scripted.meanwhile:
            scripted.meanwhile()
        if scripted.hangs:
            self.server.closing.wait(20)
        if scripted.hangs or scripted.breaks_off:
            self.close_connection = True
            return
        self.send_response(scripted.status)
        for name, text in scripted.headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(scripted.body)))
        self.end_headers()
        self.wfile.write(scripted.body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_args: Any) -> None:
        """No line a request."""


@contextmanager
def scripted_server(*answers: Scripted) -> Generator[ScriptedServer]:
    """A server that listens while the block runs."""
    server = ScriptedServer(list(answers))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
