"""The sandbox's data: the same for the same account, feed and instant, and moving on with time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.sandbox_changes import FEEDS, FIRST_PAGE_CHANGES, BadRequest, change, newest_change, page
from examples.sandbox_limit import RateLimit
from workers.feed_page import read_page

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
ACCOUNT = "acme/acme-001"
instants = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 hypothesis adds the zone
feeds = st.sampled_from(sorted(FEEDS))


def numbers(answer: dict[str, Any]) -> list[int]:
    return [each["version"] for each in answer["changes"]]


@pytest.mark.parametrize("feed", FEEDS)
def test_an_empty_cursor_starts_a_few_changes_back(feed: str) -> None:
    answer = page(ACCOUNT, feed, "", "1000", NOW)
    newest = newest_change(ACCOUNT, feed, NOW)
    assert numbers(answer) == list(range(newest - FIRST_PAGE_CHANGES + 1, newest + 1))
    assert (answer["cursor"], answer["more"]) == (str(newest), False)


@pytest.mark.parametrize("feed", FEEDS)
def test_every_answer_is_a_page_that_sync_feed_reads(feed: str) -> None:
    answer = page(ACCOUNT, feed, "", "7", NOW)
    assert len(read_page(json.dumps(answer).encode(), "").changes) == 7
    assert answer["more"]


@given(feeds, instants, st.integers(0, 3600 * 24), st.integers(1, 60))
def test_pages_that_follow_the_cursor_hold_every_change_once(
    feed: str, now: datetime, seconds: int, limit: int
) -> None:
    later = now + timedelta(seconds=seconds)
    cursor = start = page(ACCOUNT, feed, "", "1000", now)["cursor"]
    seen: list[int] = []
    for _ in range(20):
        answer = page(ACCOUNT, feed, cursor, str(limit), later)
        cursor = answer["cursor"]
        seen += numbers(answer)
        if not answer["more"]:
            break
    assert seen == list(range(int(start) + 1, int(start) + 1 + len(seen)))
    assert answer["more"] or seen[-1:] == [newest_change(ACCOUNT, feed, later)] or not seen


@given(feeds, st.integers(0, 10**9))
def test_a_change_is_always_the_same(feed: str, number: int) -> None:
    assert change(ACCOUNT, feed, number) == change(ACCOUNT, feed, number)


def test_items_recur_with_growing_versions() -> None:
    changes = [change(ACCOUNT, "slots", number) for number in range(500)]
    items = {each["item"] for each in changes}
    assert 30 < len(items) <= FEEDS["slots"].items
    for item in items:
        versions = [each["version"] for each in changes if each["item"] == item]
        assert versions == sorted(set(versions))


def test_slots_change_every_four_seconds_and_accounts_at_their_own_moments() -> None:
    a_minute = timedelta(minutes=1)
    assert newest_change(ACCOUNT, "slots", NOW + a_minute) - newest_change(ACCOUNT, "slots", NOW) == 15
    moments = {
        next(s for s in range(40) if newest_change(f"t/{n}", "slots", NOW + timedelta(seconds=s / 10)) > first)
        for n in range(50)
        for first in [newest_change(f"t/{n}", "slots", NOW - timedelta(microseconds=1))]
    }
    assert len(moments) > 10


def test_a_cursor_ahead_of_the_newest_change_waits_for_it() -> None:
    ahead = str(newest_change(ACCOUNT, "slots", NOW) + 5)
    assert page(ACCOUNT, "slots", ahead, "10", NOW) == {"changes": [], "cursor": ahead, "more": False}


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "²", " 7", "9" * 16])
def test_a_bad_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(BadRequest, match="cursor"):
        page(ACCOUNT, "slots", cursor, "10", NOW)


@pytest.mark.parametrize("limit", ["", "0", "-1", "1001", "ten", "9" * 99])
def test_a_bad_limit_is_refused(limit: str) -> None:
    with pytest.raises(BadRequest, match="limit"):
        page(ACCOUNT, "slots", "1", limit, NOW)


def test_the_limit_is_per_account_and_refills() -> None:
    limit = RateLimit(per_second=3)
    assert [limit.allows("a", 10.0) for _ in range(5)] == [True, True, True, False, False]
    assert limit.allows("b", 10.0)
    assert [limit.allows("a", 10.5) for _ in range(2)] == [True, False]
    assert [limit.allows("a", 99.0) for _ in range(4)] == [True, True, True, False]
