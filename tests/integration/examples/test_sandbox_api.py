"""The sandbox over loopback: its answers, its limit, and its end."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from examples.sandbox_api import SandboxServer, serve
from examples.sandbox_changes import page
from examples.sandbox_limit import RateLimit

CHECKOUT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)


@pytest.fixture
def sandbox() -> Generator[httpx.Client]:
    """A client of a sandbox whose clock stands still and whose limit is 3 a second."""
    stop = threading.Event()
    server = SandboxServer(0, lambda: NOW, RateLimit(per_second=3))
    thread = threading.Thread(target=serve, args=(server, stop))
    thread.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.server_address[1]}", trust_env=False) as client:
        yield client
    stop.set()
    thread.join(5)
    assert not thread.is_alive()


def test_a_feed_is_served_over_one_connection(sandbox: httpx.Client) -> None:
    first = sandbox.get("/acme/acme-001/slots", params={"cursor": "", "limit": 5})
    assert first.json() == page("acme/acme-001", "slots", "", "5", NOW)
    cursor = first.json()["cursor"]
    second = sandbox.get("/acme/acme-001/slots", params={"cursor": cursor, "limit": 5})
    assert second.json()["changes"][0]["version"] == int(cursor) + 1
    assert first.headers.get("Connection") is None


def test_the_home_page_says_that_it_is_a_sandbox(sandbox: httpx.Client) -> None:
    answer = sandbox.get("/")
    assert answer.status_code == 200
    assert "sandbox" in answer.text
    assert "made-up" in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/acme/acme-001/stocks", 404),
        ("/acme/acme-001", 404),
        ("/acme/acme-001/slots/7", 404),
        ("/acme/acme-001/slots?cursor=x", 400),
        ("/acme/acme-001/slots?limit=0", 400),
    ],
)
def test_what_is_not_there_or_cannot_be_read_is_told(sandbox: httpx.Client, path: str, status: int) -> None:
    answer = sandbox.get(path)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_an_account_above_its_limit_is_asked_to_wait(sandbox: httpx.Client) -> None:
    answers = [sandbox.get("/acme/acme-001/slots") for _ in range(6)]
    assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
    (refused, *_) = [answer for answer in answers if answer.status_code == 429]
    assert refused.headers["Retry-After"] == "1"
    assert sandbox.get("/acme/acme-002/slots").status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_process_says_where_it_is_and_ends_at_once(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "examples.sandbox_api", "--port", "0"]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().split()[-1]
        with httpx.Client(trust_env=False) as client:
            assert client.get(f"{url}acme/acme-001/slots").status_code == 200
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(5) == 0
            assert time.monotonic() - began < 1
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_told(sandbox: httpx.Client) -> None:
    command = [sys.executable, "-m", "examples.sandbox_api", "--port", str(sandbox.base_url.port)]
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=20, check=False)
    assert ended.returncode == 1
    assert "choose another with --port" in ended.stderr
