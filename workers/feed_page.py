"""A page of a feed's changes, read from an answer; whatever could not be stored or would never end is refused. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.json_values import BadValue, checked

_LONGEST_ITEM, _LONGEST_CURSOR = 200, 10_000
_BIGINT = 2**63
_SHAPE = '{"changes": [{"item": "a", "version": 1}], "cursor": "1", "more": false}'


class MalformedPage(ValueError):
    """An answer that is not a page; the message says where."""


@dataclass(frozen=True, slots=True)
class FeedChange:
    """An item in a new version; `data` is all else the feed says of it."""

    item: str
    version: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Changes in order, the cursor behind them, and whether there are more."""

    changes: tuple[FeedChange, ...]
    cursor: str
    more: bool


def read_page(body: bytes, asked_from: str) -> Page:
    """The page that answers a request from the cursor `asked_from`. Raises MalformedPage."""
    answer = _json(body)
    if not isinstance(answer, dict) or not isinstance(answer.get("changes"), list):
        raise MalformedPage(f"the answer must look like {_SHAPE}")
    cursor, more = answer.get("cursor"), answer.get("more")
    if not isinstance(cursor, str) or len(cursor) > _LONGEST_CURSOR:
        raise MalformedPage(f"cursor must be a text of at most {_LONGEST_CURSOR} characters")
    if not isinstance(more, bool):
        raise MalformedPage("more must be true or false")
    changes = tuple(_change(index, change) for index, change in enumerate(answer["changes"]))
    if cursor == asked_from and (more or changes):
        raise MalformedPage(f"cursor stays {cursor[:40]!r} though the feed goes on: it would be read again for ever")
    return Page(changes, cursor, more)


def _json(body: bytes) -> Any:
    try:
        return checked(json.loads(body, parse_constant=_refuse_constant), "answer")
    except BadValue as error:
        raise MalformedPage(str(error)) from error
    except ValueError as error:
        raise MalformedPage(f"the answer is not JSON ({error})") from error
    except RecursionError as error:
        raise MalformedPage("the answer is nested too deeply") from error


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON value")


def _change(index: int, change: Any) -> FeedChange:
    if not isinstance(change, dict):
        raise MalformedPage(f"changes[{index}] must be an object with item and version")
    item, version = change.get("item"), change.get("version")
    if not isinstance(item, str) or not 1 <= len(item) <= _LONGEST_ITEM:
        raise MalformedPage(f"changes[{index}].item must be a text of 1 to {_LONGEST_ITEM} characters")
    if not isinstance(version, int) or isinstance(version, bool) or not -_BIGINT <= version < _BIGINT:
        raise MalformedPage(f"changes[{index}].version must be a whole number of 64 bits")
    return FeedChange(item, version, {name: value for name, value in change.items() if name not in ("item", "version")})
