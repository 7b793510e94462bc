"""HTTP calls of jobs: bounded in time and size, tried again as `retries` decides, waiting so that a stop is heard."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import urlsplit

import httpx

from workers.retries import GiveUp, decide
from workers.run import Run

logger = logging.getLogger(__name__)

LARGEST_ANSWER_BYTES = 10_000_000
LONGEST_CALL_SECONDS = 30.0
_CONNECT_SECONDS, _PHASE_SECONDS, _POOL_SECONDS = 3.0, 10.0, 5.0
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=30.0)
# A proxy named in the environment is for the world outside.
_DIRECT = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}


class CallFailed(RuntimeError):
    """A call that is not tried again in this run; `url` has no query, `status` is None when nothing answered."""

    def __init__(self, why: str, *, permanent: bool, account: str, url: str, status: int | None = None) -> None:
        whose = f"account {account}: " if account else ""
        super().__init__(f"{whose}{url}: {why}")
        self.permanent = permanent
        self.account = account
        self.url = url
        self.status = status


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `too_large` when the body was cut at LARGEST_ANSWER_BYTES."""

    status: int
    retry_after: str | None
    body: bytes
    too_large: bool = False


MakeRequest = Callable[[httpx.Client, datetime], httpx.Request]


def call(run: Run, make_request: MakeRequest, *, url: str, seconds: float = LONGEST_CALL_SECONDS) -> Answer:
    """The answer (2xx) to the request that `make_request` builds for each attempt, with its instant.

    Raises CallFailed, and what Run.wait raises when the run must be left.
    """
    attempt = 0
    while True:
        attempt += 1
        answer, trouble = _attempt(make_request, run, url, seconds)
        if answer is not None and 200 <= answer.status <= 299:
            return answer
        status = answer.status if answer else None
        what = f"answered {status}" if answer else f"did not answer ({trouble})"
        decision = decide(attempt, status, answer.retry_after if answer else None, _clock(), random.random)
        if isinstance(decision, GiveUp):
            raise failure(run, url, f"{what}, {decision.why}", permanent=decision.permanent, status=status)
        logger.info("%s %s, attempt %d: trying again in %.1f s", bare(url), what, attempt, decision.seconds)
        run.wait(decision.seconds)


def failure(run: Run, url: str, why: str, *, permanent: bool, status: int | None = None) -> CallFailed:
    """The error of a call of `run`, which names its account."""
    return CallFailed(why, permanent=permanent, account=run.stamp.account, url=bare(url), status=status)


def bare(url: str) -> str:
    """The URL without what may hold a secret: user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _attempt(make_request: MakeRequest, run: Run, url: str, seconds: float) -> tuple[Answer | None, str]:
    client = _client(os.getpid())
    ends_at = time.monotonic() + seconds
    try:
        request = make_request(client, _clock())
        request.extensions["timeout"] = _phases(seconds)
        response = client.send(request, stream=True)
        try:
            return _read(response, ends_at), ""
        finally:
            response.close()
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise failure(run, url, f"no request can be made ({error})", permanent=True) from error
    except httpx.RequestError as error:
        return None, str(error) or type(error).__name__


def _phases(seconds: float) -> dict[str, float | None]:
    phase = min(_PHASE_SECONDS, seconds)
    return httpx.Timeout(connect=_CONNECT_SECONDS, read=phase, write=phase, pool=_POOL_SECONDS).as_dict()


def _read(response: httpx.Response, ends_at: float) -> Answer:
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > LARGEST_ANSWER_BYTES:
            return Answer(response.status_code, None, b"", too_large=True)
        if time.monotonic() > ends_at:
            raise httpx.ReadTimeout("the whole answer took too long", request=response.request)
    return Answer(response.status_code, response.headers.get("Retry-After"), bytes(body))


@lru_cache(maxsize=4)
def _client(_pid: int) -> httpx.Client:
    """One a process: connections are kept, and a forked child has its own."""
    return httpx.Client(
        timeout=_PHASE_SECONDS,
        limits=_LIMITS,
        mounts=_DIRECT,
        follow_redirects=False,
        headers={"User-Agent": "slotbeat"},
    )


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 an answer has come in from outside: its dates are told by the clock
