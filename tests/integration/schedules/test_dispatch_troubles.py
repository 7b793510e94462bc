"""Passes of beats while others die and Redis or the broker is away: no slot is lost, none goes twice."""

from __future__ import annotations

from collections import Counter

import pytest
from kombu.exceptions import OperationalError

from schedules.models import SkipReason, Slot, SlotState
from schedules.publisher import Order
from schedules.redis import client
from schedules.stamp import Trigger, slot_id
from schedules.timing.misfire import CatchUp
from tests.support.passes import Beat, at, every_ten, times
from tests.support.schedules import NINE, guard, seconds, stamp
from tests.support.waiting import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def test_a_slot_that_a_dead_beat_had_claimed_is_retaken_under_its_id(sent: list[Order]) -> None:
    guard("dead", claim_seconds=0.3).claim([stamp(at=NINE + seconds(10))])
    alive = Beat(sent, every_ten(), owner="alive", claim_seconds=0.3)
    assert alive.run(10)
    assert sent == []
    assert alive.dispatch.next_time() == NINE + seconds(10.3)
    wait_for(lambda: not client().exists("slotbeat:slot:" + slot_id("a", NINE + seconds(10))), what="the claim's end")
    alive.run(10.3)
    assert times(sent) == at(10)
    assert Slot.objects.get().dispatched_by == "alive"
    alive.run(13, 16)
    assert times(sent) == at(10)


def test_a_slot_that_another_beat_did_hand_over_is_not_retaken(sent: list[Order]) -> None:
    other = guard("other")
    other.claim([stamp(at=NINE + seconds(10))])
    waiting = Beat(sent, every_ten(), owner="waiting")
    waiting.run(10)
    other.confirm([stamp(at=NINE + seconds(10))])
    waiting.run(13)
    assert sent == []
    assert waiting.dispatch.next_time() == NINE + seconds(20)


def test_a_slot_held_while_the_broker_was_away_is_sent_once(sent: list[Order]) -> None:
    """Held by a beat that dies, and due again with its neighbour that the broker refused: asked for several times."""
    dead = guard("dead", claim_seconds=0.3)
    dead.claim([stamp(at=NINE + seconds(20))])
    beat = Beat(sent, every_ten(policy=CatchUp.ALL), owner="alive", claim_seconds=0.3)
    beat.broker_error = OperationalError("away")
    assert beat.run(20, 21, 22) is False
    beat.broker_error = None
    wait_for(lambda: not client().keys("slotbeat:slot:*"), what="the claim's end")
    beat.run(23, 24, 25)
    assert Counter(times(sent)) == Counter(at(10, 20))


def test_what_the_broker_refused_stays_due_and_goes_once(sent: list[Order]) -> None:
    beat = Beat(sent, every_ten())
    beat.broker_error = OperationalError("away")
    assert beat.run(10) is False
    assert Slot.objects.count() == 0
    assert beat.dispatch.next_time() == NINE + seconds(10)
    beat.broker_error = None
    assert beat.run(12) is True
    assert times(sent) == at(10)


def test_another_beat_may_send_what_one_could_not(sent: list[Order]) -> None:
    cut_off, healthy = Beat(sent, every_ten(), owner="cut-off"), Beat(sent, every_ten(), owner="healthy")
    cut_off.broker_error = OperationalError("away")
    cut_off.run(10)
    healthy.run(10)
    assert times(sent) == at(10)
    cut_off.broker_error = None
    assert cut_off.run(11) is True
    assert times(sent) == at(10)


@pytest.mark.parametrize(
    ("policy", "going"),
    [(CatchUp.SKIP, ()), (CatchUp.LATEST, (30,)), (CatchUp.ALL, (10, 20, 30))],
)
def test_after_a_time_without_redis_the_policy_decides(
    sent: list[Order], policy: CatchUp, going: tuple[int, ...]
) -> None:
    beat = Beat(sent, every_ten(policy=policy))
    beat.cable.pull()
    assert [beat.run(after) for after in (10, 15, 20, 25, 30, 35)] == [False] * 6
    assert (sent, Slot.objects.count()) == ([], 0)
    beat.cable.plug_in()
    assert beat.run(36) is True
    assert times(sent) == at(*going)
    assert {each.stamp.trigger for each in sent} <= {Trigger.CATCHUP}
    skipped = Slot.objects.filter(state=SlotState.SKIPPED, reason=SkipReason.CATCH_UP)
    assert sorted(skipped.values_list("scheduled_for", flat=True)) == at(*(n for n in (10, 20, 30) if n not in going))


def test_when_the_guard_is_lost_between_two_chunks_what_was_sent_is_still_written_down(sent: list[Order]) -> None:
    beat, same_beat = Beat(sent, every_ten("a"), every_ten("b"), chunk_size=1), guard("beat-a")

    def confirm_and_lose_the_guard() -> None:
        same_beat.confirm([each.stamp for each in sent])
        beat.cable.pull()

    beat.after_publishing = confirm_and_lose_the_guard
    assert beat.run(10) is False
    beat.after_publishing = lambda: None
    beat.cable.plug_in()
    assert beat.run(11) is True
    assert Counter(each.stamp.schedule for each in sent) == {"a": 1, "b": 1}
    assert set(Slot.objects.values_list("schedule", "dispatches")) == {("a", 1), ("b", 1)}
