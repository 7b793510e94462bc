"""The sandbox's marketplace data: a pure function of account, feed and instant, so that it survives every restart."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

FIRST_PAGE_CHANGES = 20
LARGEST_LIMIT = 1000
_LONGEST_CURSOR = 15


class BadRequest(ValueError):
    """A cursor or limit that cannot be read."""


@dataclass(frozen=True, slots=True)
class Feed:
    """One change per account every `pace_seconds`, spread over `items` items named `<prefix>-<number>`."""

    pace_seconds: float
    items: int
    prefix: str
    describe: Callable[[Dice], dict[str, Any]]


class Dice:
    """Numbers that look random and are always the same for the same words."""

    def __init__(self, *words: object) -> None:
        digest = hashlib.blake2b("\x1f".join(map(str, words)).encode(), digest_size=32).digest()
        self._rest = int.from_bytes(digest, "big")

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        self._rest, number = divmod(self._rest, limit)
        return number

    def between(self, lowest: int, highest: int) -> int:
        """A whole number, both ends included."""
        return lowest + self.below(highest - lowest + 1)

    def one_of(self, *choices: str) -> str:
        """One of the words."""
        return choices[self.below(len(choices))]


def _slots(dice: Dice) -> dict[str, Any]:
    return {
        "warehouse": dice.one_of("north", "south", "east", "west"),
        "free": dice.between(0, 40),
        "coefficient": dice.between(0, 20) / 2,
    }


def _bids(dice: Dice) -> dict[str, Any]:
    return {"campaign": dice.between(1, 12), "bid_cents": dice.between(50, 900), "position": dice.between(1, 30)}


def _sales(dice: Dice) -> dict[str, Any]:
    return {
        "status": dice.one_of("ordered", "paid", "shipped", "returned"),
        "quantity": dice.between(1, 4),
        "amount_cents": dice.between(500, 90_000),
        "currency": "EUR",
    }


def _ads(dice: Dice) -> dict[str, Any]:
    views = dice.between(100, 20_000)
    return {"views": views, "clicks": dice.between(0, views // 20), "spent_cents": dice.between(100, 50_000)}


def _statistics(dice: Dice) -> dict[str, Any]:
    baskets = dice.between(0, 400)
    return {"views": dice.between(400, 9_000), "baskets": baskets, "orders": dice.between(0, baskets)}


def _finances(dice: Dice) -> dict[str, Any]:
    income, fees = dice.between(10_000, 900_000), dice.between(1_000, 9_000)
    return {"income_cents": income, "fees_cents": fees, "payout_cents": income - fees}


FEEDS = {
    "slots": Feed(4, 40, "slot", _slots),
    "bids": Feed(30, 60, "bid", _bids),
    "sales": Feed(45, 200, "order", _sales),
    "ads": Feed(120, 12, "ad", _ads),
    "statistics": Feed(600, 80, "sku", _statistics),
    "finances": Feed(6 * 3600, 4, "settlement", _finances),
}


def newest_change(account: str, feed: str, now: datetime) -> int:
    """The number of the last change that has happened; each account changes at its own offset."""
    return math.floor(now.timestamp() / FEEDS[feed].pace_seconds - _offset(account, feed))


def change(account: str, feed: str, number: int) -> dict[str, Any]:
    """Change `number`: its item recurs, its version grows."""
    spec = FEEDS[feed]
    dice = Dice(account, feed, number)
    return {"item": f"{spec.prefix}-{dice.below(spec.items) + 1}", "version": number, **spec.describe(dice)}


def page(account: str, feed: str, cursor: str, limit: str, now: datetime) -> dict[str, Any]:
    """What the API answers: the changes behind `cursor` (an empty one starts a few back). Raises BadRequest."""
    newest = newest_change(account, feed, now)
    last_seen = _read_cursor(cursor) if cursor else newest - FIRST_PAGE_CHANGES
    end = max(last_seen, min(newest, last_seen + _read_limit(limit)))
    return {
        "changes": [change(account, feed, number) for number in range(last_seen + 1, end + 1)],
        "cursor": str(end),
        "more": end < newest,
    }


def _offset(account: str, feed: str) -> float:
    return Dice(account, feed).below(1_000_000) / 1_000_000


def _read_cursor(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_CURSOR):
        raise BadRequest(f"cursor {text[:40]!r} is none of mine: send the last answer's, or an empty one")
    return int(text)


def _read_limit(text: str) -> int:
    limit = int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_CURSOR else 0
    if not 1 <= limit <= LARGEST_LIMIT:
        raise BadRequest(f"limit {text[:40]!r} is not a number from 1 to {LARGEST_LIMIT}")
    return limit
