"""HTTP calls of jobs on a real server: what is tried again, how long is waited, and what an error says."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime

import httpx
import pytest

from tests.support.http_server import Scripted, answer, scripted_server
from tests.support.runs import account, account_run
from tests.support.waiting import wait_for
from tests.support.workers import end_draining
from workers.calls import Answer, CallFailed, call
from workers.drain import Interrupted, drain
from workers.retries import ATTEMPTS
from workers.run import Run

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = answer({"ok": True})


@pytest.fixture
def run() -> Generator[Run]:
    with account_run(account()) as of_account:
        yield of_account


def get(run: Run, url: str, seconds: float = 10) -> Answer:
    def request(client: httpx.Client, _now: datetime) -> httpx.Request:
        return client.build_request("GET", url)

    return call(run, request, url=url, seconds=seconds)


@contextmanager
def taking(at_least: float, at_most: float) -> Generator[None]:
    began = time.monotonic()
    yield
    assert at_least <= time.monotonic() - began <= at_most


def test_a_good_answer_is_returned_at_once(run: Run) -> None:
    with scripted_server(GOOD) as server:
        assert get(run, server.url).body == b'{"ok": true}'
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "trouble", [Scripted(500), Scripted(502), Scripted(408), Scripted(425), Scripted(429), Scripted(breaks_off=True)]
)
def test_a_passing_trouble_is_tried_again(run: Run, trouble: Scripted) -> None:
    with scripted_server(trouble, GOOD) as server, taking(0.2, 5):
        assert get(run, server.url).status == 200
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_an_answer_that_asks_to_wait_is_waited_for(run: Run, status: int) -> None:
    with scripted_server(answer({}, status, Retry_After="1"), GOOD) as server, taking(1.0, 5):
        get(run, server.url)
    assert len(server.asked) == 2


def test_an_answer_that_asks_to_wait_long_ends_the_run(run: Run) -> None:
    with (
        scripted_server(answer({}, 429, Retry_After="120")) as server,
        taking(0, 3),
        pytest.raises(CallFailed, match="answered 429, it asks to wait 120 s") as caught,
    ):
        get(run, server.url)
    assert len(server.asked) == 1
    assert (caught.value.permanent, caught.value.status) == (False, 429)


@pytest.mark.parametrize("status", [301, 302, 400, 401, 404, 410])
def test_what_would_fail_again_is_asked_once(run: Run, status: int) -> None:
    with (
        scripted_server(answer({}, status, Location="/elsewhere")) as server,
        pytest.raises(CallFailed, match=f"account acme-001: {server.url}/x: answered {status}") as caught,
    ):
        get(run, f"{server.url}/x?token=s3cr3t")
    assert len(server.asked) == 1
    assert caught.value.permanent
    assert (caught.value.account, caught.value.url) == ("acme-001", f"{server.url}/x")
    assert "s3cr3t" not in str(caught.value)


def test_attempts_end(run: Run) -> None:
    with scripted_server(Scripted(500)) as server, pytest.raises(CallFailed, match="3 attempts failed") as caught:
        get(run, server.url)
    assert len(server.asked) == ATTEMPTS
    assert not caught.value.permanent


def test_nobody_listening_is_tried_again_and_then_told(run: Run) -> None:
    with scripted_server(GOOD) as server:
        url = server.url
    with pytest.raises(CallFailed, match="did not answer") as caught:
        get(run, url)
    assert (caught.value.permanent, caught.value.status) == (False, None)


def test_a_server_that_hangs_is_left_in_time(run: Run) -> None:
    with scripted_server(Scripted(hangs=True)) as server, taking(0.6, 8), pytest.raises(CallFailed, match="timed out"):
        get(run, server.url, seconds=0.2)


@pytest.mark.parametrize("url", ["ftp://example.com/x", "http://"])
def test_a_url_that_cannot_be_asked_is_permanent(run: Run, url: str) -> None:
    with pytest.raises(CallFailed) as caught:
        get(run, url)
    assert caught.value.permanent


def test_a_wait_is_left_when_the_process_stops(run: Run) -> None:
    with scripted_server(answer({}, 503, Retry_After="20")) as server, taking(0, 5):

        def stop_behind_the_first_attempt() -> None:
            wait_for(lambda: server.asked, what="the first attempt")
            drain.begin()

        stopper = threading.Thread(target=stop_behind_the_first_attempt)
        stopper.start()
        try:
            with pytest.raises(Interrupted):
                get(run, server.url)
        finally:
            stopper.join()
            end_draining()


def test_calls_from_many_threads_share_a_client_and_keep_connections(run: Run) -> None:
    with scripted_server(GOOD) as server, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: get(run, server.url), range(40)))
        assert {each.status for each in answers} == {200}
        assert len(server.connections) <= 4
