"""The relay moves every event, each key in its order, with any number of relays and whatever fails on the way."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from django.db import transaction

from tests.support.sinks import MemorySink
from tests.support.waiting import wait_for
from tests.support.workers import AT, beside, end_other_backends, together
from workers import outbox
from workers.drain import Drain
from workers.models import EventState, OutboxEvent
from workers.outbox import Event
from workers.relay import Batch, backlog, relay_batch, relay_until
from workers.sinks.base import OutgoingEvent, SinkDown

pytestmark = pytest.mark.django_db(transaction=True)


def record(*keys: str) -> None:
    """One event for each key given; its payload is its place."""
    with transaction.atomic():
        outbox.record_many([Event("slots", key, number) for number, key in enumerate(keys)])


def move(sink: MemorySink, size: int = 50) -> Batch:
    return relay_batch(sink, size, 5, AT)


def start(drain: Drain, sink: MemorySink, size: int = 50) -> int:
    return relay_until(drain, sink, size=size, send_seconds=5, poll_seconds=0.01, clock=lambda: AT)


def pending() -> list[int]:
    return list(OutboxEvent.objects.filter(state=EventState.PENDING).order_by("id").values_list("payload", flat=True))


class Down:
    """A sink's `before` that fails so many times."""

    def __init__(self, times: int, error: Exception) -> None:
        self.left, self._error = times, error

    def __call__(self, _events: Sequence[OutgoingEvent]) -> None:
        if self.left:
            self.left -= 1
            raise self._error


def test_a_batch_is_sent_in_order_marked_and_counted() -> None:
    record("a", "b", "a")
    sink = MemorySink()
    assert move(sink) == Batch(published=3, refused=0)
    assert [event.payload for event in sink.events] == [0, 1, 2]
    for event in OutboxEvent.objects.all():
        assert (event.state, event.attempts, event.published_at, event.error) == (EventState.PUBLISHED, 1, AT, "")
    assert move(sink) == Batch(0, 0)
    assert len(sink.batches) == 1


def test_a_sink_sees_id_topic_key_payload_and_headers() -> None:
    with transaction.atomic():
        outbox.record("bids", "acme", {"a": 1}, headers={"source": "test"})
    sink = MemorySink()
    move(sink)
    row = OutboxEvent.objects.get()
    assert sink.events == [OutgoingEvent(row.id, row.event_id, "bids", "acme", {"a": 1}, {"source": "test"})]


def test_batches_are_as_large_as_asked_and_one_transaction_each() -> None:
    record(*["a"] * 120)
    seen: list[int] = []
    sink = MemorySink(before=lambda _events: seen.extend(together(1, lambda _: len(pending()))))
    assert [move(sink).published for _ in range(4)] == [50, 50, 20, 0]
    assert seen == [120, 70, 20], "a batch is marked for others to see only when its transaction ends"


def test_two_relays_move_everything_once_and_each_key_in_order() -> None:
    record(*[f"key{number % 20}" for number in range(500)])
    sink, drain = MemorySink(), Drain()

    def relay(_number: int) -> int:
        return start(drain, sink, size=17)

    def stop_at_the_end() -> None:
        wait_for(lambda: not pending(), what="all events to be moved", timeout=60)
        drain.begin()

    with beside(stop_at_the_end):
        published = together(2, relay)
    assert sum(published) == 500
    assert sorted(event.payload for event in sink.events) == list(range(500))
    for key in range(20):
        assert sink.payloads(f"key{key}") == list(range(key, 500, 20))


def test_a_second_relay_gets_nothing_of_a_key_that_the_first_holds() -> None:
    """Ten events of one key and one of another, batches of five: the first relay is slow."""
    record(*["acme"] * 10, "bolt")
    second = MemorySink()
    first = MemorySink(before=lambda _events: together(1, lambda _: (move(second, 5), move(second, 50))))
    move(first, 5)
    assert first.payloads("acme") == [0, 1, 2, 3, 4]
    assert second.payloads("acme") == []
    assert second.payloads("bolt") == [10]
    move(second)
    assert second.payloads("acme") == [5, 6, 7, 8, 9]


def test_events_on_both_sides_of_one_that_another_holds_wait_for_it() -> None:
    """Two relays that lock at one moment can take turns: one has the first and the third, the other the second."""
    record("acme", "acme", "acme")
    sink = MemorySink()
    with transaction.atomic():
        OutboxEvent.objects.select_for_update().get(payload=1)
        together(1, lambda _: move(sink))
        assert 2 not in sink.payloads("acme"), "the third must not overtake the second"
    while pending():
        move(sink)
    assert sink.payloads("acme") == [0, 1, 2]


def test_a_sink_that_is_down_costs_no_event_an_attempt() -> None:
    record("a", "b")
    sink = MemorySink(before=Down(1, SinkDown("away")))
    with pytest.raises(SinkDown):
        move(sink)
    assert pending() == [0, 1]
    assert set(OutboxEvent.objects.values_list("attempts", "error")) == {(0, "")}
    assert move(sink).published == 2


def test_a_relay_outlasts_a_sink_that_is_down() -> None:
    record("a", "b")
    sink, drain = MemorySink(before=Down(2, SinkDown("away"))), Drain()
    with beside(lambda: start(drain, sink)):
        wait_for(lambda: not pending(), what="the events to be moved")
        drain.begin()
    assert [event.payload for event in sink.events] == [0, 1]


def test_a_refused_event_holds_back_its_key_only_and_says_why() -> None:
    record("acme", "bolt", "acme", "bolt")
    sink = MemorySink(refuses=[0])
    assert move(sink) == Batch(published=2, refused=2)
    assert (sink.payloads("acme"), sink.payloads("bolt")) == ([], [1, 3])
    first, second = OutboxEvent.objects.filter(key="acme").order_by("id")
    assert (first.state, first.attempts, first.error) == (EventState.PENDING, 1, "not wanted")
    assert (second.state, second.error) == (EventState.PENDING, "an earlier event of its key was refused")


def test_a_refused_event_goes_first_once_it_is_mended() -> None:
    record("acme", "acme", "acme")
    sink = MemorySink(refuses=[0])
    move(sink)
    sink.refuses = []
    while pending():
        assert move(sink).published
    assert sink.payloads("acme") == [0, 1, 2]
    assert set(OutboxEvent.objects.values_list("error", flat=True)) == {""}


def test_a_long_backlog_behind_a_refused_event_does_not_starve_other_keys() -> None:
    """More events wait behind the refused one than a batch holds."""
    record(*["acme"] * 8, "bolt")
    sink = MemorySink(refuses=[0])
    for _ in range(5):
        move(sink, 5)
    assert sink.payloads("bolt") == [8]


def test_an_error_text_that_postgresql_cannot_hold_does_not_stop_the_relay() -> None:
    class Quoting(MemorySink):
        def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
            super().send(events, seconds)
            return {events[0].position: "bad\x00text"}

    record("acme")
    assert move(Quoting()).refused == 1
    assert OutboxEvent.objects.get().error.startswith("bad")


def test_a_relay_killed_between_sending_and_marking_sends_the_same_ids_again() -> None:
    class Killed(BaseException):
        """As SIGKILL: nothing after it runs."""

    class Dying(MemorySink):
        def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
            super().send(events, seconds)
            raise Killed

    record("a", "b", "a")
    dying, next_one = Dying(), MemorySink()
    with pytest.raises(Killed):
        move(dying)
    assert pending() == [0, 1, 2]
    move(next_one)
    assert [event.event_id for event in dying.events] == [event.event_id for event in next_one.events]


def test_a_relay_outlasts_the_end_of_its_database_connection() -> None:
    record(*["a"] * 10)
    reached, cut = threading.Event(), threading.Event()

    def hold_once(_events: Sequence[OutgoingEvent]) -> None:
        if not reached.is_set():
            reached.set()
            assert cut.wait(10)

    sink, drain = MemorySink(before=hold_once), Drain()
    with beside(lambda: start(drain, sink, size=4)):
        assert reached.wait(10)
        assert end_other_backends() >= 1
        cut.set()
        wait_for(lambda: not pending(), what="the events to be moved")
        record("a")
        wait_for(lambda: not pending(), what="a later event to be moved")
        drain.begin()
    assert list(dict.fromkeys(event.position for event in sink.events)) == list(
        OutboxEvent.objects.order_by("id").values_list("id", flat=True)
    )


def test_a_fault_in_our_own_code_ends_the_relay_so_that_it_is_seen() -> None:
    record("a")
    with pytest.raises(ZeroDivisionError):
        start(Drain(), MemorySink(before=Down(1, ZeroDivisionError())))
    assert pending() == [0]


def test_a_draining_relay_ends_the_batch_in_hand_and_leaves_the_rest() -> None:
    record(*["a"] * 10)
    drain = Drain()
    sink = MemorySink(before=lambda _events: drain.begin())
    assert start(drain, sink, size=4) == 4
    assert pending() == [4, 5, 6, 7, 8, 9]


def test_the_backlog_counts_pending_events_and_the_age_of_the_oldest() -> None:
    now = datetime(2026, 3, 10, 10, 0, tzinfo=UTC)
    assert backlog(now) == (0, 0.0)
    record("a", "a", "b")
    OutboxEvent.objects.filter(payload=0).update(state=EventState.PUBLISHED)
    OutboxEvent.objects.filter(payload=1).update(created_at=AT)
    OutboxEvent.objects.filter(payload=2).update(created_at=now)
    assert backlog(now) == (2, 3600.0)
