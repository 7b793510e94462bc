"""Guard, publish, confirm: what the broker refuses is given back, and without the guard nothing is published."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import pytest
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

from schedules.conf import Conf
from schedules.guard import Guard, Verdict
from schedules.handover import Outcome, hand_over
from schedules.publisher import Order
from schedules.redis import client
from schedules.stamp import Overlap
from tests.support.schedules import NINE, guard, order, seconds
from tests.support.valkey import CLOSED_PORT, impatient, own_valkey
from tests.support.waiting import wait_for


@pytest.fixture
def throw_away() -> Iterator[Redis]:
    """A client of a server that a test may pause."""
    with own_valkey() as server, impatient(server.url) as redis:
        yield redis


class Broker:
    """Takes messages, or refuses them with an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.taken: list[str] = []
        self.error = error

    def __call__(self, orders: Sequence[Order]) -> None:
        """The publish callable."""
        if self.error is not None:
            raise self.error
        self.taken += [each.stamp.slot_id for each in orders]


def test_what_is_won_is_published_and_confirmed() -> None:
    broker, orders = Broker(), [order("a"), order("b")]
    results = hand_over(orders, guard(), broker)
    assert [result.outcome for result in results] == [Outcome.DISPATCHED, Outcome.DISPATCHED]
    assert [result.order for result in results] == orders
    assert broker.taken == [each.stamp.slot_id for each in orders]
    assert [result.outcome for result in hand_over(orders, guard("beat-b"), broker)] == [Outcome.DUPLICATE] * 2
    assert len(broker.taken) == 2


def test_a_duplicate_is_a_result_and_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    hand_over([order()], guard(), Broker())
    with caplog.at_level(logging.DEBUG):
        hand_over([order()], guard("beat-b"), Broker())
    assert caplog.records == []


def test_every_outcome_keeps_the_place_of_its_order() -> None:
    guard("beat-b").claim([order("held").stamp])
    hand_over([order("sent"), order("long", overlap=Overlap.SKIP)], guard(), Broker())
    next_of_long = order("long", NINE + seconds(10), overlap=Overlap.SKIP)
    results = hand_over([order("sent"), order("held"), order("free"), next_of_long], guard(), Broker())
    assert [r.outcome for r in results] == [Outcome.DUPLICATE, Outcome.HELD, Outcome.DISPATCHED, Outcome.OVERLAP]
    assert results[3].holder == order("long").stamp.slot_id


@pytest.mark.parametrize("error", [OperationalError("away"), ConnectionRefusedError("away"), RedisError("away")])
def test_what_the_broker_refuses_is_given_back_and_won_again_by_anybody(error: Exception) -> None:
    orders = [order("a", overlap=Overlap.SKIP), order("b")]
    results = hand_over(orders, guard("beat-a"), Broker(error))
    assert [result.outcome for result in results] == [Outcome.UNSENT, Outcome.UNSENT]
    assert client().keys() == []
    assert {result.outcome for result in hand_over(orders, guard("beat-b"), Broker())} == {Outcome.DISPATCHED}


def test_only_what_was_won_is_given_back() -> None:
    hand_over([order("sent")], guard(), Broker())
    results = hand_over([order("sent"), order("free")], guard(), Broker(OperationalError("away")))
    assert [result.outcome for result in results] == [Outcome.DUPLICATE, Outcome.UNSENT]
    assert guard("beat-b").claim([order("sent").stamp])[0].verdict is Verdict.SENT


def test_a_fault_of_ours_is_not_taken_for_a_broker_that_is_away() -> None:
    with pytest.raises(ZeroDivisionError):
        hand_over([order()], guard(), Broker(ZeroDivisionError()))


def test_without_the_guard_nothing_is_published() -> None:
    broker = Broker()
    with pytest.raises(RedisError):
        hand_over([order()], Guard(impatient(CLOSED_PORT), "beat-a", Conf()), broker)
    assert broker.taken == []


def test_a_guard_that_does_not_answer_publishes_nothing_and_gives_up_soon(throw_away: Redis) -> None:
    """B39: writes are paused; the slot goes once after the pause."""
    broker, paused = Broker(), Guard(throw_away, "beat-a", Conf(claim_seconds=0.2))
    throw_away.client_pause(60_000, all=False)
    with pytest.raises(RedisError):
        hand_over([order()], paused, broker)
    assert broker.taken == []
    throw_away.client_unpause()
    wait_for(lambda: hand_over([order()], paused, broker) and broker.taken, what="the slot to be handed over")
    hand_over([order()], paused, broker)
    assert broker.taken == [order().stamp.slot_id]


def test_a_guard_lost_before_the_confirmation_is_told_and_the_slot_may_be_sent_again_under_its_id(
    throw_away: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[str] = []

    def publish(orders: Sequence[Order]) -> None:
        taken.extend(each.stamp.slot_id for each in orders)
        throw_away.client_pause(60_000, all=False)

    mine = Guard(throw_away, "beat-a", Conf(claim_seconds=0.5))
    assert [result.outcome for result in hand_over([order()], mine, publish)] == [Outcome.DISPATCHED]
    assert "published, but not confirmed" in caplog.text
    throw_away.client_unpause()


def test_a_claim_that_was_retaken_while_publishing_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def slow_publish(_orders: Sequence[Order]) -> None:
        other = guard("beat-b")
        wait_for(lambda: other.claim([order().stamp])[0].verdict is Verdict.WON, what="the claim to run out")

    hand_over([order()], guard("beat-a", claim_seconds=0.1), slow_publish)
    assert "1 of 1 claims ran out while publishing: raise claim_seconds" in caplog.text
