"""Every page of accounts, runs, fan-outs, feeds and the outbox answers, with few queries and few bytes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from schedules.stamp import Stamp, slot_id
from tests.support.admin_pages import add_url, get, list_url, row_url, run_action, sign_in
from workers.models import Account, EventState, FanOut, FeedCursor, FeedItem, Lease, LeaseState, OutboxEvent

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def admin_client(client: Client, db: None) -> Client:
    return sign_in(client)


def make_accounts(count: int) -> list[Account]:
    return Account.objects.bulk_create(
        Account(key=f"acme-{number:03}", tenant=f"tenant-{number % 3}", endpoint="/acme", secret_name="ACME")
        for number in range(count)
    )


def make_leases(count: int, account: str = "acme-000") -> list[Lease]:
    return Lease.objects.bulk_create(
        Lease(
            code="nightly",
            run_key=_stamp(number, account).slot_id,
            idempotency_key=_stamp(number, account).idempotency_key,
            account=account,
            scheduled_for=NOON,
            state=LeaseState.SUCCESS,
            acquired_at=NOON,
            finished_at=NOON + timedelta(seconds=2),
        )
        for number in range(count)
    )


def _stamp(number: int, account: str) -> Stamp:
    instant = NOON + timedelta(minutes=number)
    return Stamp(slot_id("nightly", instant, account), "nightly", instant, account=account)


def make_fan_outs(count: int) -> list[FanOut]:
    return FanOut.objects.bulk_create(
        FanOut(slot_id=slot_id("nightly", instant), schedule="nightly", scheduled_for=instant, job="jobs.noop")
        for instant in (NOON + timedelta(minutes=number) for number in range(count))
    )


def make_events(count: int) -> list[OutboxEvent]:
    return OutboxEvent.objects.bulk_create(
        OutboxEvent(topic="bids", key=f"acme-{number}", payload={"text": "x" * 50_000}) for number in range(count)
    )


def make_items(count: int) -> list[FeedItem]:
    return FeedItem.objects.bulk_create(
        FeedItem(account=account, feed="bids", item="7", version=1, data={"text": "x" * 50_000})
        for account in make_accounts(count)
    )


def make_cursors(count: int) -> list[FeedCursor]:
    return FeedCursor.objects.bulk_create(FeedCursor(account=account, feed="bids") for account in make_accounts(count))


LISTS: list[tuple[Any, Callable[[int], list[Any]]]] = [
    (Account, make_accounts),
    (Lease, make_leases),
    (FanOut, make_fan_outs),
    (OutboxEvent, make_events),
    (FeedItem, make_items),
    (FeedCursor, make_cursors),
]
RECORDS = [entry for entry in LISTS if entry[0] is not Account]


def names(entries: list[tuple[Any, Any]]) -> list[str]:
    return [model.__name__ for model, _ in entries]


@pytest.mark.parametrize(("model", "make"), LISTS, ids=names(LISTS))
def test_a_list_costs_the_same_queries_at_5_and_at_50_rows(
    admin_client: Client, model: Any, make: Callable[[int], list[Any]]
) -> None:
    get(admin_client, list_url(model))
    make(5)
    few = get(admin_client, list_url(model))
    model.objects.all().delete()
    Account.objects.all().delete()
    make(50)
    many = get(admin_client, list_url(model))

    assert many.queries == few.queries <= 8
    assert many.text.count("data-row") == 50
    assert many.size < 500_000


@pytest.mark.parametrize(("model", "make"), LISTS, ids=names(LISTS))
def test_a_page_of_one_row_answers(admin_client: Client, model: Any, make: Callable[[int], list[Any]]) -> None:
    page = get(admin_client, row_url(make(1)[0]))
    assert page.queries <= 12
    assert page.size < 100_000


@pytest.mark.parametrize(("model", "make"), RECORDS, ids=names(RECORDS))
def test_a_record_cannot_be_changed_by_post(admin_client: Client, model: Any, make: Callable[[int], list[Any]]) -> None:
    row = make(1)[0]
    assert admin_client.post(row_url(row), {}).status_code == 403
    assert admin_client.post(add_url(model), {}).status_code == 403
    assert admin_client.post(f"{row_url(row)[:-7]}delete/", {"post": "yes"}).status_code == 403
    assert model.objects.count() == 1


@pytest.mark.parametrize(("model", "make"), LISTS, ids=names(LISTS))
def test_anonymous_is_sent_to_the_login(client: Client, model: Any, make: Callable[[int], list[Any]]) -> None:
    answer = client.get(row_url(make(1)[0]))
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/admin/login/")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=nightly", 3),
        ("q=acme-000", 3),
        (f"q={_stamp(1, 'acme-000').slot_id}", 1),
        (f"q={_stamp(1, 'acme-000').idempotency_key}", 1),
        ("q=acme", 0),
        ("account=acme-000", 3),
        ("code=hourly", 0),
        ("state__exact=SUCCESS", 3),
    ],
)
def test_runs_are_found(admin_client: Client, query: str, found: int) -> None:
    make_leases(3)
    assert get(admin_client, f"{list_url(Lease)}?{query}").text.count("data-row") == found


def test_events_are_found_by_id_key_and_topic(admin_client: Client) -> None:
    events = make_events(3)
    events[0].state = EventState.PUBLISHED
    events[0].save()

    def found(query: str) -> int:
        return get(admin_client, f"{list_url(OutboxEvent)}?{query}").text.count("data-row")

    assert [found(query) for query in (f"q={events[1].event_id}", "q=acme-2", "q=acme", "topic=bids")] == [1, 1, 0, 3]
    assert found("state__exact=pending") == 2


@pytest.mark.parametrize(
    ("model", "query", "found"),
    [
        (FanOut, "q=nightly", 3),
        (FanOut, "q=hourly", 0),
        (FeedItem, "q=acme-001", 1),
        (FeedItem, "feed=bids&item=7", 3),
        (FeedCursor, "q=acme-001", 1),
        (FeedCursor, "feed=sales", 0),
        (Account, "q=acme-001", 1),
        (Account, "tenant=tenant-1", 1),
        (Account, "enabled__exact=0", 0),
    ],
)
def test_other_lists_are_searched_and_filtered(admin_client: Client, model: Any, query: str, found: int) -> None:
    dict(LISTS)[model](3)
    assert get(admin_client, f"{list_url(model)}?{query}").text.count("data-row") == found


def test_a_large_payload_is_cut(admin_client: Client) -> None:
    page = get(admin_client, row_url(make_events(1)[0]))
    assert "characters more" in page.text
    assert "x" * 9_000 in page.text
    assert "x" * 10_000 not in page.text


def test_the_page_of_an_account_shows_its_newest_ten_runs(admin_client: Client) -> None:
    (account,) = make_accounts(1)
    runs = make_leases(12)
    make_leases(1, "acme-999")

    text = get(admin_client, row_url(account)).text

    assert [run.pk for run in runs if row_url(run) in text] == [run.pk for run in runs[2:]]
    assert text.count("/admin/workers/lease/") == 12


def test_accounts_are_disabled_and_enabled(admin_client: Client) -> None:
    accounts = make_accounts(3)
    assert run_action(admin_client, "disable_accounts", accounts[:2])[0].startswith("2 accounts disabled")
    assert list(Account.objects.filter(enabled=True)) == accounts[2:]
    assert run_action(admin_client, "enable_accounts", accounts)[0].startswith("2 accounts enabled")
    assert Account.objects.filter(enabled=True).count() == 3


def test_an_account_is_added_and_its_key_stays(admin_client: Client) -> None:
    posted = {"key": "acme-1", "tenant": "acme", "endpoint": "/acme-1", "enabled": "on"}
    assert admin_client.post(add_url(Account), posted).status_code == 302
    account = Account.objects.get()
    assert admin_client.post(row_url(account), {**posted, "key": "other", "name": "Acme"}).status_code == 302
    account.refresh_from_db()
    assert (account.key, account.name) == ("acme-1", "Acme")


@pytest.mark.parametrize(("field", "value"), [("tenant", "A b"), ("endpoint", "ftp://x"), ("secret_name", "acme")])
def test_a_wrong_account_is_refused_at_its_field(admin_client: Client, field: str, value: str) -> None:
    posted = {"key": "acme-1", "tenant": "acme", "endpoint": "/acme-1", field: value}
    answer = admin_client.post(add_url(Account), posted)
    assert list(answer.context["adminform"].form.errors) == [field]
    assert not Account.objects.exists()


def test_an_account_with_a_history_cannot_be_deleted(admin_client: Client) -> None:
    fresh, used = make_accounts(2)
    make_leases(1, used.key)
    assert admin_client.post(f"{row_url(used)[:-7]}delete/", {"post": "yes"}).status_code == 403
    assert admin_client.post(f"{row_url(fresh)[:-7]}delete/", {"post": "yes"}).status_code == 302
    assert list(Account.objects.all()) == [used]
