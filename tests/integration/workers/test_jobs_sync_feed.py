"""`sync_feed` against a real HTTP server: pages, rows and events together, errors that say whose and what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connections
from pytest_django.fixtures import Settings

from tests.support.http_server import Scripted, ScriptedServer, answer, scripted_server
from tests.support.runs import account, account_run, running
from tests.support.workers import draining, expire, stamp_of
from workers import calls
from workers.calls import CallFailed
from workers.drain import Interrupted
from workers.feed_store import CursorMoved, cursor_of, move_cursor
from workers.jobs.sync_feed import MOST_PAGES, NoAccount, sync_feed
from workers.lease import LeaseLost
from workers.models import Account, FeedCursor, FeedItem, OutboxEvent
from workers.secrets import SecretUnusable

pytestmark = pytest.mark.django_db(transaction=True)

LAST = answer({"changes": [], "cursor": "end", "more": False})


def page(cursor: str, *changes: tuple[str, int], more: bool = False, **data: Any) -> Scripted:
    listed = [{"item": item, "version": version, **data} for item, version in changes]
    return answer({"changes": listed, "cursor": cursor, "more": more})


def sync(server: ScriptedServer | None, settings: Settings, of: Account | None = None, **params: Any) -> None:
    settings.SLOTBEAT_FEED_BASE_URL = server.url if server else ""
    whose = of or Account.objects.filter(key="acme-001").first() or account()
    with account_run(whose) as run:
        sync_feed(run, **{"feed": "slots", **params})


def events() -> list[tuple[str, str, dict[str, Any]]]:
    return list(OutboxEvent.objects.order_by("id").values_list("topic", "key", "payload"))


def test_changes_become_items_events_and_a_cursor(settings: Settings) -> None:
    with scripted_server(page("c1", ("a", 1), ("b", 5), ("a", 2), free=3)) as server:
        sync(server, settings)
    assert [asked.path for asked in server.asked] == ["/acme/acme-001/slots?cursor=&limit=200"]
    assert set(FeedItem.objects.values_list("feed", "item", "version")) == {("slots", "a", 2), ("slots", "b", 5)}
    assert FeedItem.objects.get(item="b").data == {"free": 3}
    assert FeedCursor.objects.get().cursor == "c1"
    assert [(topic, key, payload["item"], payload["version"]) for topic, key, payload in events()] == [
        ("slots", "acme-001", "a", 1),
        ("slots", "acme-001", "b", 5),
        ("slots", "acme-001", "a", 2),
    ]
    assert events()[0][2] == {"account": "acme-001", "feed": "slots", "item": "a", "version": 1, "data": {"free": 3}}
    assert OutboxEvent.objects.order_by("id")[0].headers["slot_id"] == stamp_of("slots", account="acme-001").slot_id


def test_pages_are_read_while_there_are_more_over_one_connection(settings: Settings) -> None:
    with scripted_server(page("1", ("a", 1), more=True), page("2", ("a", 2), more=True), page("3", ("a", 3))) as server:
        sync(server, settings, limit=1)
    assert [asked.path.partition("?")[2] for asked in server.asked] == [
        "cursor=&limit=1",
        "cursor=1&limit=1",
        "cursor=2&limit=1",
    ]
    assert len(server.connections) == 1
    assert len(events()) == 3


def test_the_next_run_goes_on_behind_the_cursor_and_nothing_new_writes_nothing(settings: Settings) -> None:
    account()
    FeedCursor.objects.create(account=Account.objects.get(), feed="slots", cursor="a b&c")
    with scripted_server(page("a b&c")) as server:
        sync(server, settings)
    assert server.asked[0].path.endswith("?cursor=a+b%26c&limit=200")
    assert events() == []


def test_a_newer_version_is_never_replaced_by_an_older_one(settings: Settings) -> None:
    with scripted_server(page("1", ("a", 7), ("b", 1)), page("2", ("a", 6), ("b", 2))) as server:
        sync(server, settings)
        with running(stamp_of("again", account="acme-001")) as run:
            sync_feed(run, feed="slots")
    assert set(FeedItem.objects.values_list("item", "version")) == {("a", 7), ("b", 2)}
    assert len(events()) == 4


def test_a_run_reads_so_many_pages_and_leaves_the_rest(settings: Settings) -> None:
    pages = [page(str(number), ("a", number), more=True) for number in range(1, MOST_PAGES + 5)]
    with scripted_server(*pages) as server:
        sync(server, settings)
    assert len(server.asked) == MOST_PAGES
    assert FeedCursor.objects.get().cursor == str(MOST_PAGES)


def test_a_stopping_process_leaves_between_two_pages(settings: Settings) -> None:
    with scripted_server(page("1", ("a", 1), more=True)) as server:
        settings.SLOTBEAT_FEED_BASE_URL = server.url
        with pytest.raises(Interrupted), account_run(account()) as run, draining():
            sync_feed(run, feed="slots")
    assert FeedCursor.objects.get().cursor == "1"


def test_a_run_whose_lease_is_gone_writes_nothing(settings: Settings) -> None:
    with scripted_server(page("1", ("a", 1))) as server:
        settings.SLOTBEAT_FEED_BASE_URL = server.url
        with account_run(account()) as run:
            expire(run.lease)
            with pytest.raises(LeaseLost):
                sync_feed(run, feed="slots")
    assert (FeedCursor.objects.get().cursor, FeedItem.objects.count(), events()) == ("", 0, [])


def test_a_cursor_that_is_no_longer_where_it_was_read_does_not_move() -> None:
    whose = account()
    assert cursor_of(whose, "slots") == ""
    move_cursor(whose, "slots", before="", after="1")
    with pytest.raises(CursorMoved, match="account acme-001: the cursor of feed 'slots' was moved"):
        move_cursor(whose, "slots", before="", after="2")
    assert cursor_of(whose, "slots") == "1"


def test_a_run_whose_feed_another_run_reads_meanwhile_writes_nothing(settings: Settings) -> None:
    def move() -> None:
        FeedCursor.objects.update(cursor="another's")
        connections.close_all()

    with (
        scripted_server(replace(page("1", ("a", 1)), meanwhile=move)) as server,
        pytest.raises(CursorMoved, match="let one schedule read a feed"),
    ):
        sync(server, settings)
    assert (FeedCursor.objects.get().cursor, FeedItem.objects.count(), events()) == ("another's", 0, [])


def test_the_token_of_the_account_is_sent(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTBEAT_SECRET_ACME", "s3cr3t")
    with scripted_server(LAST) as server:
        sync(server, settings, account(secret_name="ACME"))
    assert server.asked[0].headers["authorization"] == "Bearer s3cr3t"


def test_a_missing_token_names_account_and_variable(settings: Settings) -> None:
    with (
        scripted_server(LAST) as server,
        pytest.raises(SecretUnusable, match="account acme-001: the secret in SLOTBEAT_SECRET_ABSENT is not set"),
    ):
        sync(server, settings, account(secret_name="ABSENT"))
    assert server.asked == []


def test_an_endpoint_of_its_own_keeps_its_path_and_query(settings: Settings) -> None:
    with scripted_server(LAST) as server:
        sync(None, settings, account(endpoint=f"{server.url}/api%2Fv2/?shop=7"))
    assert server.asked[0].path == "/api%2Fv2/slots?shop=7&cursor=&limit=200"


def test_a_path_needs_a_base_url(settings: Settings) -> None:
    with pytest.raises(CallFailed, match=r"account acme-001: .*SLOTBEAT_FEED_BASE_URL") as caught:
        sync(None, settings)
    assert caught.value.permanent


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (Scripted(200, b"<html>"), "malformed answer: the answer is not JSON"),
        (answer({"changes": []}), "malformed answer: cursor must be a text"),
        (answer({"changes": [], "cursor": "", "more": True}), "malformed answer: cursor stays"),
        (answer({"changes": [], "cursor": "\x00", "more": False}), "malformed answer: .*NUL"),
    ],
)
def test_a_malformed_answer_is_permanent_and_stores_nothing(settings: Settings, bad: Scripted, complaint: str) -> None:
    with scripted_server(bad) as server, pytest.raises(CallFailed, match=complaint) as caught:
        sync(server, settings)
    assert (caught.value.permanent, caught.value.account, caught.value.status) == (True, "acme-001", 200)
    assert caught.value.url == f"{server.url}/acme/acme-001/slots"
    assert (FeedItem.objects.count(), events()) == (0, [])


def test_an_answer_that_is_too_large_is_cut_off(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LARGEST_ANSWER_BYTES", 1000)
    with scripted_server(Scripted(200, b" " * 2000)) as server, pytest.raises(CallFailed, match="too large"):
        sync(server, settings)


def test_a_schedule_of_its_own_is_told_to_fan_out() -> None:
    with pytest.raises(NoAccount, match="schedule the task fan_out"), running(stamp_of()) as run:
        sync_feed(run, feed="slots")
