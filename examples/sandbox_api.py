"""A sandbox, not a product: a small marketplace API with made-up data for `make up`, demos and tests.

`python -m examples.sandbox_api --port 8900` serves `/<tenant>/<account>/<feed>?cursor=&limit=` on the loopback address.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from examples.sandbox_changes import FEEDS, BadRequest, page
from examples.sandbox_limit import RateLimit

_PATH = re.compile(r"/([a-z0-9-]{1,100})/([A-Za-z0-9._-]{1,200})/([a-z_]{1,50})")
_FIND_OUT_SECONDS = 0.05
_HOME = f"""Slotbeat sandbox API: made-up marketplace data for trying things out. Nothing here is real.

GET /<tenant>/<account>/<feed>?cursor=&limit=200    feeds: {", ".join(FEEDS)}
"""


class SandboxServer(ThreadingHTTPServer):
    """A thread per kept-alive connection; none of them holds up the end."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle of an answer is no news."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def __init__(self, port: int, clock: Callable[[], datetime], limit: RateLimit) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.clock = clock
        self.limit = limit


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SlotbeatSandbox"
    sys_version = ""
    timeout = 60
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave in one packet
    server: SandboxServer

    def do_GET(self) -> None:
        """Answers a feed, the page that says what this is, or an error."""
        url = urlsplit(self.path)
        if url.path == "/":
            self._answer(HTTPStatus.OK, _HOME.encode(), "text/plain; charset=utf-8")
            return
        status, answer = self._feed(url.path, parse_qs(url.query, keep_blank_values=True))
        self._answer(status, json.dumps(answer).encode(), "application/json")

    def _feed(self, path: str, query: dict[str, list[str]]) -> tuple[HTTPStatus, dict[str, Any]]:
        found = _PATH.fullmatch(path)
        if found is None or found[3] not in FEEDS:
            return HTTPStatus.NOT_FOUND, {"error": f"no feed is at this path; feeds are {', '.join(FEEDS)}"}
        account, feed = f"{found[1]}/{found[2]}", found[3]
        if not self.server.limit.allows(account, time.monotonic()):
            return HTTPStatus.TOO_MANY_REQUESTS, {"error": "too many requests for this account"}
        cursor, limit = query.get("cursor", [""])[-1], query.get("limit", ["200"])[-1]
        try:
            return HTTPStatus.OK, page(account, feed, cursor, limit, self.server.clock())
        except BadRequest as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.TOO_MANY_REQUESTS:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """No line a request."""


def serve(server: SandboxServer, stop: threading.Event) -> None:
    """Answers until `stop` is set."""
    thread = threading.Thread(target=server.serve_forever, args=(_FIND_OUT_SECONDS,), name="sandbox", daemon=True)
    thread.start()
    stop.wait()
    server.shutdown()
    server.server_close()


def main() -> int:
    """Serves until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description="A sandbox API with made-up marketplace data.")
    parser.add_argument("--port", type=int, default=8900, help="0 takes a free one")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    port = parser.parse_args().port
    try:
        server = SandboxServer(port, _clock, RateLimit())
    except OSError as error:
        parser.exit(1, f"port {port} cannot be used ({error.strerror}): choose another with --port\n")
    sys.stdout.write(f"sandbox API with made-up data: http://127.0.0.1:{server.server_address[1]}/\n")
    sys.stdout.flush()
    serve(server, stop)
    return 0


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 a request is an entry point


if __name__ == "__main__":
    sys.exit(main())
