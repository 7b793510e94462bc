"""Passes of beats over one content and one clock that the test turns: each slot once, with its end written down."""

from __future__ import annotations

import logging
from collections import Counter

import pytest

from schedules.guard import Verdict
from schedules.models import SkipReason, Slot, SlotState
from schedules.plan import Plan
from schedules.publisher import Order
from schedules.stamp import Overlap, Trigger, slot_id
from schedules.timing.misfire import CatchUp
from tests.support.passes import Beat, at, every_ten, times
from tests.support.schedules import NINE, by_name, seconds, stamp

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> list[Order]:
    """What has reached the broker."""
    return []


def test_a_pass_hands_over_what_is_due_and_writes_it_down(sent: list[Order]) -> None:
    assert Beat(sent, every_ten(kwargs={"x": 1})).run(5, 10)
    (made,) = sent
    assert (made.stamp.slot_id, made.kwargs) == (slot_id("a", NINE + seconds(10)), {"x": 1})
    slot = Slot.objects.get()
    assert (slot.slot_id, slot.state, slot.dispatches) == (made.stamp.slot_id, SlotState.DISPATCHED, 1)
    assert (slot.dispatched_by, slot.dispatched_at) == ("beat-a", NINE + seconds(10))


def test_the_next_pass_is_at_the_next_fire_time(sent: list[Order]) -> None:
    beat = Beat(sent, every_ten())
    assert beat.dispatch.next_time() == NINE + seconds(10)
    beat.run(10)
    assert beat.dispatch.next_time() == NINE + seconds(20)
    assert Beat([]).dispatch.next_time() is None


def test_two_beats_hand_over_each_slot_once(sent: list[Order]) -> None:
    rows = [every_ten(f"s{n}") for n in range(30)]
    beats = [Beat(sent, *rows, owner=owner, chunk_size=7) for owner in ("beat-a", "beat-b")]
    for after in range(0, 61, 5):
        for beat in beats if after % 2 else reversed(beats):
            assert beat.run(after)
    expected = Counter(slot_id(f"s{n}", instant) for n in range(30) for instant in at(10, 20, 30, 40, 50, 60))
    assert Counter(each.stamp.slot_id for each in sent) == expected
    assert set(Slot.objects.values_list("dispatches", "state")) == {(1, SlotState.DISPATCHED)}
    assert Slot.objects.count() == len(expected)


def test_beats_whose_clocks_differ_hand_over_each_slot_once(sent: list[Order]) -> None:
    early, late = Beat(sent, every_ten(), owner="early"), Beat(sent, every_ten(), owner="late")
    for after in range(0, 61, 2):
        early.run(after + 2)
        late.run(after)
    assert times(sent) == at(10, 20, 30, 40, 50, 60)


def test_a_duplicate_is_counted_as_done_and_not_logged(sent: list[Order], caplog: pytest.LogCaptureFixture) -> None:
    Beat(sent, every_ten(), owner="beat-a").run(10)
    with caplog.at_level(logging.INFO, logger="schedules"):
        assert Beat(sent, every_ten(), owner="beat-b").run(10)
    assert len(sent) == 1
    assert caplog.records == []
    assert Slot.objects.get().dispatched_by == "beat-a"


def test_within_the_time_that_counts_as_on_time_nothing_is_missed(sent: list[Order]) -> None:
    beat = Beat(sent, every_ten(policy=CatchUp.SKIP))
    beat.run(15)
    assert [each.stamp.trigger for each in sent] == [Trigger.SCHEDULE]


def test_an_overlap_is_skipped_and_says_which_run_had_not_ended(sent: list[Order]) -> None:
    beat = Beat(sent, every_ten(overlap=Overlap.SKIP))
    beat.run(10, 20)
    assert times(sent) == at(10)
    slot = Slot.objects.get(scheduled_for=NINE + seconds(20))
    assert (slot.state, slot.reason) == (SlotState.SKIPPED, SkipReason.OVERLAP)
    assert slot_id("a", NINE + seconds(10)) in slot.detail
    beat.guard.clear_mark(stamp(at=NINE + seconds(10), overlap=Overlap.SKIP))
    beat.run(30)
    assert times(sent) == at(10, 30)


def test_a_one_off_is_handed_over_once_by_two_beats(sent: list[Order]) -> None:
    beats = [Beat(sent, every_ten(one_off=True), owner=owner) for owner in ("beat-a", "beat-b")]
    for after in (10, 20, 30):
        for beat in beats:
            beat.run(after)
    assert times(sent) == at(10)


def test_a_restarted_beat_goes_on_behind_its_last_slot(sent: list[Order]) -> None:
    Beat(sent, every_ten()).run(10)
    restarted = Beat(sent, owner="restarted")
    restarted.plan = Plan({"a": NINE + seconds(10)})
    restarted.plan.refresh(by_name(every_ten()), NINE + seconds(14))
    assert restarted.plan.take_due(NINE + seconds(14)) == []
    assert restarted.guard.claim([stamp(at=NINE + seconds(10))])[0].verdict is Verdict.SENT
