"""An event exists exactly when the business change does; what could not be stored or sent is refused at the call."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from tests.support.workers import stamp_of
from workers import outbox
from workers.execution import execute
from workers.models import Account, EventState, OutboxEvent
from workers.outbox import Event, OutboxRefused
from workers.run import current_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_event_outside_a_transaction_is_refused() -> None:
    with pytest.raises(OutboxRefused, match=r"inside transaction\.atomic\(\)"):
        outbox.record("slots", "acme", {})
    assert not OutboxEvent.objects.exists()


def test_an_event_is_pending_once_its_transaction_is_committed() -> None:
    with transaction.atomic():
        outbox.record("slots", "acme", {"price": 1.5}, headers={"source": "test"})
    event = OutboxEvent.objects.get()
    assert (event.topic, event.key, event.payload) == ("slots", "acme", {"price": 1.5})
    assert (event.headers, event.state, event.attempts) == ({"source": "test"}, EventState.PENDING, 0)


def test_a_rollback_leaves_neither_change_nor_event() -> None:
    def change_and_fail() -> None:
        with transaction.atomic():
            Account.objects.create(key="acme", tenant="t", endpoint="/acme")
            outbox.record("slots", "acme", {})
            raise LookupError

    with pytest.raises(LookupError):
        change_and_fail()
    assert not Account.objects.exists()
    assert not OutboxEvent.objects.exists()


def test_inside_a_run_an_event_carries_its_identity() -> None:
    stamp = stamp_of("nightly", account="acme")

    def work() -> None:
        with current_run.get().transaction():
            outbox.record("slots", "acme", {}, headers={"source": "test"})

    execute(stamp, work, "w1")
    assert OutboxEvent.objects.get().headers == {
        "idempotency_key": stamp.idempotency_key,
        "slot_id": stamp.slot_id,
        "source": "test",
    }


def test_the_same_event_id_twice_is_one_event() -> None:
    event_id = uuid.uuid4()
    for payload in ("first", "second"):
        with transaction.atomic():
            outbox.record("slots", "acme", payload, event_id=event_id)
    with transaction.atomic():
        outbox.record_many([Event("slots", "acme", number, event_id=event_id) for number in range(3)])
    assert OutboxEvent.objects.get().payload == "first"


def test_events_keep_the_order_they_were_recorded_in() -> None:
    with transaction.atomic():
        outbox.record_many(Event("slots", "acme", number) for number in range(300))
    assert list(OutboxEvent.objects.order_by("id").values_list("payload", flat=True)) == list(range(300))


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        ({"name": "a\x00b"}, r"payload\.name holds a NUL"),
        ({"names": ["ok", "\ud83d"]}, r"payload\.names\[1\] holds half a surrogate"),
        ({"price": float("nan")}, r"payload\.price is nan"),
        ({"raw": b"\xff\x00"}, r"payload\.raw is a bytes"),
        ({"price": Decimal("1.10")}, r"payload\.price is a Decimal"),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, r"payload\.at is a datetime"),
        ({"text": "x" * 5_000_000}, r"payload has 50000\d\d bytes, more than SLOTBEAT_OUTBOX_MAX_BYTES"),
    ],
)
def test_a_bad_payload_is_refused_and_the_transaction_goes_on(payload: Any, complaint: str) -> None:
    with transaction.atomic():
        with pytest.raises(OutboxRefused, match=f"topic 'slots', key 'acme': {complaint}"):
            outbox.record("slots", "acme", payload)
        Account.objects.create(key="acme", tenant="t", endpoint="/acme")
    assert Account.objects.exists()
    assert not OutboxEvent.objects.exists()


@pytest.mark.parametrize(
    ("topic", "key", "named"),
    [
        ("", "acme", "topic"),
        ("t" * 201, "acme", "topic"),
        ("slots", "", "key"),
        ("slots", "k" * 301, "key"),
        ("slots", "a\x00", "key"),
        ("slots", "\ud83d", "key"),
        ("\ud83d", "acme", "topic"),
        ("slots", 7, "key"),
        ("two words", "acme", "topic"),
        ("slots/ü", "acme", "topic"),
        ("..", "acme", "topic"),
    ],
)
def test_a_bad_topic_or_key_is_refused_by_name_and_the_transaction_goes_on(topic: str, key: Any, named: str) -> None:
    """A topic that no broker takes would be refused for ever, after the transaction that could have been told."""
    with transaction.atomic():
        with pytest.raises(OutboxRefused, match=named):
            outbox.record(topic, key, {})
        Account.objects.create(key="acme", tenant="t", endpoint="/acme")
    assert Account.objects.exists()


@pytest.mark.parametrize(
    "headers", [{"source": "a\x00b"}, {"source": "\ud83d"}, {"attempt": 1}, {"source": None}, {"a\x00": "b"}, {1: "b"}]
)
def test_a_bad_header_is_refused_by_name_and_the_transaction_goes_on(headers: Any) -> None:
    """Every sink sends headers as texts: another type would stop the relay, not the event."""
    with transaction.atomic():
        with pytest.raises(OutboxRefused, match="header"):
            outbox.record("slots", "acme", {}, headers=headers)
        Account.objects.create(key="acme", tenant="t", endpoint="/acme")
    assert Account.objects.exists()


@pytest.mark.parametrize(
    "payload", [{"text": "👩‍👩‍👧‍👦 é ÷ 漢 \u0001"}, [1, 2.5, None, True], "plain", 2**70, {"": ""}, {"k" * 300: "v"}]
)
def test_what_is_lawful_comes_out_as_it_went_in(payload: Any) -> None:
    with transaction.atomic():
        outbox.record("slots", "ключ 🔑" * 10, payload)
    assert (OutboxEvent.objects.get().payload, OutboxEvent.objects.get().key) == (payload, "ключ 🔑" * 10)


def test_the_longest_names_fit() -> None:
    with transaction.atomic():
        outbox.record("t" * 200, "🔑" * 300, {})
    assert OutboxEvent.objects.get().key == "🔑" * 300


def test_the_limit_of_a_payload_is_a_setting_in_bytes(settings: Any) -> None:
    settings.SLOTBEAT_OUTBOX_MAX_BYTES = 20
    with transaction.atomic():
        outbox.record("slots", "acme", "x" * 18)
        with pytest.raises(OutboxRefused, match=r"21 bytes.*\(20\): send a reference"):
            outbox.record("slots", "acme", "x" * 19)
        with pytest.raises(OutboxRefused, match="22 bytes"):
            outbox.record("slots", "acme", "é" * 10)


def test_one_bad_event_of_many_refuses_all() -> None:
    with transaction.atomic(), pytest.raises(OutboxRefused):
        outbox.record_many([Event("slots", "acme", 1), Event("slots", "acme", b"raw")])
    assert not OutboxEvent.objects.exists()
