"""A page of a feed: what is read, and what is refused with its place named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workers.feed_page import FeedChange, MalformedPage, Page, read_page


def page(**fields: Any) -> bytes:
    whole = {"changes": [{"item": "a", "version": 1}], "cursor": "7", "more": False, **fields}
    return json.dumps({name: value for name, value in whole.items() if value is not ...}).encode()


def test_a_page_is_read_in_order_with_its_data() -> None:
    body = page(
        changes=[{"item": "a", "version": 2, "free": 3, "tags": ["x"]}, {"item": "b", "version": -1}], more=True
    )
    assert read_page(body, "6") == Page(
        (FeedChange("a", 2, {"free": 3, "tags": ["x"]}), FeedChange("b", -1, {})), "7", more=True
    )


def test_nothing_new_is_a_page() -> None:
    assert read_page(page(changes=[], cursor="6"), "6") == Page((), "6", more=False)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"\xff\xfe{", "not JSON"),
        (b"[]", "must look like"),
        (b"null", "must look like"),
        (b'{"changes": [{"item": "a", "version": NaN}], "cursor": "7", "more": false}', "NaN"),
        (b"[" * 100_000, "nested too deeply"),
        (page(changes=...), "must look like"),
        (page(changes={}), "must look like"),
        (page(cursor=...), "cursor must be a text"),
        (page(cursor=7), "cursor must be a text"),
        (page(cursor="c" * 10_001), "cursor must be a text"),
        (page(cursor="a\x00"), r"answer.cursor holds a NUL"),
        (page(more=...), "more must be"),
        (page(more=1), "more must be"),
        (page(changes=["a"]), r"changes\[0\] must be an object"),
        (page(changes=[{"version": 1}]), r"changes\[0\]\.item"),
        (page(changes=[{"item": "", "version": 1}]), r"changes\[0\]\.item"),
        (page(changes=[{"item": "i" * 201, "version": 1}]), r"changes\[0\]\.item"),
        (page(changes=[{"item": 5, "version": 1}]), r"changes\[0\]\.item"),
        (page(changes=[{"item": "a"}]), r"changes\[0\]\.version"),
        (page(changes=[{"item": "a", "version": True}]), r"changes\[0\]\.version"),
        (page(changes=[{"item": "a", "version": 1.0}]), r"changes\[0\]\.version"),
        (page(changes=[{"item": "a", "version": 2**63}]), r"changes\[0\]\.version"),
        (page(changes=[{"item": "a", "version": 1, "note": "x\x00y"}]), r"answer.changes\[0\].note holds a NUL"),
        (page(changes=[{"item": "a", "version": 1, "\x00": 1}]), r"holds a NUL"),
        (page(changes=[{"item": "a", "version": 1, "note": "\ud800"}]), "surrogate"),
    ],
)
def test_what_is_no_page_is_refused_at_its_place(body: bytes, complaint: str) -> None:
    with pytest.raises(MalformedPage, match=complaint):
        read_page(body, "6")


@pytest.mark.parametrize("fields", [{"more": True}, {"more": True, "changes": []}, {"more": False}])
def test_a_cursor_that_stays_while_the_feed_goes_on_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(MalformedPage, match="cursor stays '7'"):
        read_page(page(cursor="7", **fields), "7")
