"""The smoke test's own judgement of order: a repetition is no disorder, an overtaking is."""

from __future__ import annotations

import pytest

from scheduler_project.kafka_reader import KafkaMessage
from scheduler_project.smoke.evidence import Events, Runs, Slots, out_of_order

POSITIONS = {"first": 1, "second": 2, "third": 3}


def _messages(*event_ids: str, key: str = "a") -> list[KafkaMessage]:
    return [KafkaMessage("sales", 0, offset, key, event_id, b"") for offset, event_id in enumerate(event_ids)]


@pytest.mark.parametrize(
    ("event_ids", "disorder"),
    [
        (("first", "second", "third"), 0),
        (("first", "second", "first", "second", "third"), 0),
        (("second", "first", "third"), 1),
        (("third", "second", "first"), 2),
    ],
)
def test_disorder_is_counted_once_for_each_event_that_came_late(event_ids: tuple[str, ...], disorder: int) -> None:
    assert out_of_order(_messages(*event_ids), POSITIONS) == disorder


def test_keys_have_no_order_among_each_other() -> None:
    assert out_of_order([*_messages("second", key="a"), *_messages("first", key="b")], POSITIONS) == 0


GOOD_SLOTS = {"expected": 3, "once": 3, "unnoted": 0, "more": 0, "missing": 0, "skipped": 0}


@pytest.mark.parametrize(
    "change", [{"once": 2, "more": 1}, {"once": 2, "missing": 1}, {"once": 2, "skipped": 1}, {"expected": 0, "once": 0}]
)
def test_slots_are_bad_when_one_is_not_handed_over_exactly_once(change: dict[str, int]) -> None:
    assert Slots(**GOOD_SLOTS).well
    assert Slots(**GOOD_SLOTS | {"once": 2, "unnoted": 1}).well
    assert not Slots(**GOOD_SLOTS | change).well


@pytest.mark.parametrize("change", [{"failed": 1, "ran": 8}, {"again": 1}, {"missing": 1, "ran": 8}, {"ran": 8}])
def test_runs_are_bad_when_one_failed_ran_again_or_is_not_explained(change: dict[str, int]) -> None:
    counts = {"expected": 10, "ran": 9, "skipped": 1, "failed": 0, "again": 0, "missing": 0}

    assert Runs(**counts, reasons={}).well
    assert not Runs(**counts | change, reasons={}).well


@pytest.mark.parametrize("change", [{"missing": 1}, {"unknown": 1}, {"out_of_order": 1}, {"recorded": 0}])
def test_events_are_bad_when_one_is_lost_unknown_or_overtaken(change: dict[str, int]) -> None:
    counts = {"recorded": 5, "in_kafka": 6, "missing": 0, "unknown": 0, "repeated": 1, "keys": 2, "out_of_order": 0}

    assert Events(**counts).well
    assert not Events(**counts | change).well
