"""`sync_feed`: pulls an account's changes since its cursor, stores them and tells of each, page by page."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

import httpx

from workers import outbox
from workers.calls import call, failure
from workers.conf import conf
from workers.feed_page import FeedChange, MalformedPage, Page, read_page
from workers.feed_store import cursor_of, move_cursor, store_items
from workers.jobs.base import Run, job
from workers.models import Account
from workers.outbox import Event
from workers.secrets import secret

logger = logging.getLogger(__name__)

MOST_PAGES = 20
_FEED = re.compile(r"[A-Za-z0-9._-]{1,100}")
_LARGEST_LIMIT = 10_000


class NoAccount(RuntimeError):
    """The job was scheduled by itself; it needs a fan-out, which gives it an account."""

    permanent = True


def check(feed: str, limit: int = 200) -> None:
    """Raises ValueError for a feed that could be no topic, or a limit that is no page size."""
    if not isinstance(feed, str) or not _FEED.fullmatch(feed):
        raise ValueError(f"feed {feed!r} must have 1 to 100 letters, digits, dots, dashes or underscores")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _LARGEST_LIMIT:
        raise ValueError(f"limit {limit!r} must be a whole number from 1 to {_LARGEST_LIMIT}")


@job("sync_feed", per_account=True, check=check)
def sync_feed(run: Run, *, feed: str, limit: int = 200) -> None:
    """Reads at most MOST_PAGES pages; the next slot goes on behind them. Raises CallFailed, CursorMoved, NoAccount."""
    if not run.stamp.account:
        raise NoAccount("sync_feed runs for accounts: schedule the task fan_out with the job sync_feed")
    cursor = cursor_of(run.account, feed)
    for _page in range(MOST_PAGES):
        page = _fetch(run, feed, cursor, limit)
        _keep(run, feed, cursor, page)
        if not page.more:
            return
        cursor = page.cursor
        run.checkpoint()
    logger.info("account %s: feed %r has more than %d pages, the next slot goes on", run.account.key, feed, MOST_PAGES)


def _fetch(run: Run, feed: str, cursor: str, limit: int) -> Page:
    url = _url(run, feed, cursor, limit)
    headers = _headers(run.account)

    def request(client: httpx.Client, _now: datetime) -> httpx.Request:
        return client.build_request("GET", url, headers=headers)

    answer = call(run, request, url=url)
    if answer.too_large:
        raise failure(run, url, "the answer is too large: ask for fewer changes with limit", permanent=True)
    try:
        return read_page(answer.body, cursor)
    except MalformedPage as error:
        raise failure(run, url, f"malformed answer: {error}", permanent=True, status=answer.status) from error


def _keep(run: Run, feed: str, cursor: str, page: Page) -> None:
    if page.cursor == cursor:
        return
    with run.transaction():
        move_cursor(run.account, feed, before=cursor, after=page.cursor)
        store_items(run.account, feed, page.changes)
        outbox.record_many(_event(run.account, feed, change) for change in page.changes)


def _event(account: Account, feed: str, change: FeedChange) -> Event:
    payload = {
        "account": account.key,
        "feed": feed,
        "item": change.item,
        "version": change.version,
        "data": dict(change.data),
    }
    return Event(feed, account.key, payload)


def _url(run: Run, feed: str, cursor: str, limit: int) -> str:
    endpoint, base = run.account.endpoint, conf().feed_base_url
    if endpoint.startswith("/") and not base:
        why = "this endpoint is a path, and SLOTBEAT_FEED_BASE_URL, which it would start from, is not set"
        raise failure(run, endpoint, why, permanent=True)
    parts = urlsplit(base.rstrip("/") + endpoint if endpoint.startswith("/") else endpoint)
    query = urlencode({"cursor": cursor, "limit": limit})
    own = f"{parts.query}&" if parts.query else ""
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{quote(feed)}", query=own + query, fragment=""))


def _headers(account: Account) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if account.secret_name:
        headers["Authorization"] = f"Bearer {secret(account.secret_name, f'account {account.key}')}"
    return headers
