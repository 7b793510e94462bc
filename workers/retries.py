"""Whether and when to try an HTTP call again. Pure: attempt, answer, `now` and chance are arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

ATTEMPTS = 3
LONGEST_WAIT_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 10.0
_ASKS_TO_WAIT = frozenset({429, 503})
_PASSES = frozenset({408, 425})


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Do not try again in this run; `permanent` when a later run could not succeed either without a change."""

    permanent: bool
    why: str


def decide(
    attempt: int, status: int | None, retry_after: str | None, now: datetime, chance: Callable[[], float]
) -> Retry | GiveUp:
    """What follows attempt number `attempt` (from 1) that failed with `status`, None for no answer at all.

    `retry_after` is the answer's header of that name; `chance` yields numbers from 0 up to 1.
    """
    if status is not None and not _may_pass(status):
        return GiveUp(permanent=True, why="the same request would fail again")
    asked = seconds_of(retry_after, now) if status in _ASKS_TO_WAIT else None
    if asked is not None and asked > LONGEST_WAIT_SECONDS:
        return GiveUp(permanent=False, why=f"it asks to wait {asked:.0f} s, more than a run waits; the next slot tries")
    if attempt >= ATTEMPTS:
        return GiveUp(permanent=False, why=f"{ATTEMPTS} attempts failed; the next slot tries")
    pause = backoff_seconds(attempt, chance)
    return Retry(pause if asked is None else asked + _FIRST_PAUSE_SECONDS * chance())


def backoff_seconds(attempt: int, chance: Callable[[], float]) -> float:
    """Doubles with each attempt; half of it is left to chance, so that those who failed together come apart."""
    longest = min(_FIRST_PAUSE_SECONDS * 2.0 ** min(attempt - 1, 10), _LONGEST_PAUSE_SECONDS)
    return longest * (0.5 + 0.5 * chance())


def seconds_of(retry_after: str | None, now: datetime) -> float | None:
    """The seconds a Retry-After header asks for, as a number or an HTTP date; None when it cannot be read."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until.replace(tzinfo=UTC) if until.tzinfo is None else until
    return max(0.0, (until - now).total_seconds())


def _may_pass(status: int) -> bool:
    return status in _ASKS_TO_WAIT or status in _PASSES or 500 <= status <= 599
