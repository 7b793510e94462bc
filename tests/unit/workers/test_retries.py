"""Whether and when an HTTP call is tried again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.retries import ATTEMPTS, LONGEST_WAIT_SECONDS, GiveUp, Retry, backoff_seconds, decide, seconds_of

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)


def never_lucky() -> float:
    return 0.0


def after(attempt: int = 1, status: int | None = None, retry_after: str | None = None) -> Retry | GiveUp:
    return decide(attempt, status, retry_after, NOW, never_lucky)


@pytest.mark.parametrize("status", [None, 408, 425, 429, 500, 502, 503, 504, 599])
def test_what_may_pass_is_tried_again(status: int | None) -> None:
    assert isinstance(after(status=status), Retry)


@pytest.mark.parametrize("status", [301, 302, 304, 400, 401, 403, 404, 409, 410, 422, 499])
def test_what_would_fail_again_is_permanent(status: int) -> None:
    assert after(status=status) == GiveUp(permanent=True, why="the same request would fail again")


@pytest.mark.parametrize("status", [None, 429, 500, 503])
def test_the_last_attempt_is_followed_by_none(status: int | None) -> None:
    assert isinstance(after(ATTEMPTS - 1, status), Retry)
    decision = after(ATTEMPTS, status)
    assert isinstance(decision, GiveUp)
    assert not decision.permanent


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 30 ", 30),
        ("Tue, 10 Mar 2026 09:00:12 GMT", 12),
        ("Tue, 10 Mar 2026 08:00:00 GMT", 0),
        ("Tue, 10 Mar 2026 11:00:05 +0200", 5),
    ],
)
def test_a_limit_that_asks_to_wait_is_waited_for(status: int, header: str, seconds: float) -> None:
    assert after(status=status, retry_after=header) == Retry(seconds)


@pytest.mark.parametrize("header", ["31", "3600", "Tue, 10 Mar 2026 10:00:00 GMT", "9" * 400])
def test_a_longer_wait_gives_the_run_up_and_says_so(header: str) -> None:
    decision = after(status=429, retry_after=header)
    assert isinstance(decision, GiveUp)
    assert not decision.permanent
    assert "asks to wait" in decision.why


@pytest.mark.parametrize("header", [None, "", "soon", "-1", "1.5", "²", "Tue, 99 Mar 2026 10:00:00 GMT"])
def test_a_header_that_cannot_be_read_leaves_the_own_pause(header: str | None) -> None:
    assert seconds_of(header, NOW) is None
    assert after(status=429, retry_after=header) == Retry(backoff_seconds(1, never_lucky))


def test_other_errors_do_not_ask_to_wait() -> None:
    assert after(status=500, retry_after="3600") == Retry(backoff_seconds(1, never_lucky))


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_pauses_double_up_to_a_bound_and_are_spread(attempt: int, luck: float) -> None:
    pause = backoff_seconds(attempt, lambda: luck)
    longest = min(0.5 * 2.0 ** min(attempt - 1, 30), 10.0)
    assert longest / 2 <= pause <= longest


@given(st.integers(0, 30), st.floats(0, 1, exclude_max=True))
def test_a_wait_is_never_shorter_than_asked_for(asked: int, luck: float) -> None:
    decision = decide(1, 429, str(asked), NOW, lambda: luck)
    assert isinstance(decision, Retry)
    assert asked <= decision.seconds <= LONGEST_WAIT_SECONDS + 1
