"""Keeps what a feed said: the newest version of each item, and how far the feed was read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from django.db import connection
from django.db.models.functions import Now

from workers.feed_page import FeedChange
from workers.models import Account, FeedCursor

_UPSERT = """
INSERT INTO workers_feeditem AS stored (account_id, feed, item, version, data, changed_at)
SELECT %s, %s, item, version, data::jsonb, statement_timestamp()
FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS new(item, version, data)
ON CONFLICT (account_id, feed, item) DO UPDATE
SET version = EXCLUDED.version, data = EXCLUDED.data, changed_at = EXCLUDED.changed_at
WHERE stored.version < EXCLUDED.version
"""


class CursorMoved(RuntimeError):
    """Another run has read the same feed of the account meanwhile; the next slot goes on from there."""

    permanent = False


def cursor_of(account: Account, feed: str) -> str:
    """How far the feed was read; empty at first."""
    row, _ = FeedCursor.objects.get_or_create(account=account, feed=feed)
    return row.cursor


def move_cursor(account: Account, feed: str, *, before: str, after: str) -> None:
    """Moves the cursor, in the caller's transaction. Raises CursorMoved when it is no longer at `before`."""
    here = FeedCursor.objects.filter(account=account, feed=feed, cursor=before)
    if not here.update(cursor=after, updated_at=Now()):
        raise CursorMoved(
            f"account {account.key}: the cursor of feed {feed!r} was moved by another run: "
            "let one schedule read a feed, not two"
        )


def store_items(account: Account, feed: str, changes: Sequence[FeedChange]) -> None:
    """Upserts the items in one statement; an older version never replaces a newer one."""
    newest: dict[str, FeedChange] = {}
    for change in changes:
        known = newest.get(change.item)
        if known is None or known.version <= change.version:
            newest[change.item] = change
    rows = [(change.item, change.version, json.dumps(dict(change.data))) for change in newest.values()]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_UPSERT, [account.pk, feed, *(list(column) for column in zip(*rows, strict=True))])
