"""A definition at a fire time becomes the order of one message."""

from __future__ import annotations

from datetime import timedelta

from schedules.orders import manual_order, order_for
from schedules.stamp import Overlap, Trigger, manual_id, slot_id
from schedules.timing.misfire import MisfirePolicy
from tests.support.schedules import NINE, definition, seconds


def test_the_stamp_says_all_that_an_execution_must_know() -> None:
    made = order_for(definition("a:b", overlap=Overlap.SKIP, lease_seconds=60), NINE, Trigger.CATCHUP).stamp
    assert made.slot_id == slot_id("a:b", NINE)
    assert (made.schedule, made.scheduled_for, made.trigger) == ("a:b", NINE, Trigger.CATCHUP)
    assert (made.account, made.overlap, made.lease_seconds) == ("", Overlap.SKIP, 60)


def test_the_deadline_is_the_end_of_the_catch_up_window() -> None:
    windowed = definition(misfire=MisfirePolicy(window=timedelta(minutes=7)))
    made = order_for(windowed, NINE, Trigger.SCHEDULE)
    assert made.stamp.deadline == NINE + timedelta(minutes=7)
    assert "expires" not in made.options


def test_b28_the_rows_expiry_is_counted_from_the_fire_time() -> None:
    made = order_for(definition(expire_seconds=20), NINE, Trigger.CATCHUP)
    assert made.stamp.deadline == NINE + seconds(20)
    assert made.options["expires"] == NINE + seconds(20)


def test_task_arguments_and_options_are_those_of_the_row() -> None:
    row = definition(task="jobs.x", args=[1, "ü"], kwargs={"k": [2]}, options={"queue": "accounts", "priority": 0})
    made = order_for(row, NINE, Trigger.SCHEDULE)
    assert (made.task, made.args, made.kwargs) == ("jobs.x", [1, "ü"], {"k": [2]})
    assert made.options == {"queue": "accounts", "priority": 0}


def test_an_order_leaves_its_definition_as_it_was() -> None:
    row = definition(expire_seconds=20, options={"queue": "accounts"})
    order_for(row, NINE, Trigger.SCHEDULE)
    assert row.options == {"queue": "accounts"}


def test_a_manual_order_has_an_id_of_its_own_and_the_rows_options() -> None:
    row = definition(expire_seconds=20, options={"queue": "accounts"})
    made = manual_order(row, "00ff", NINE)
    assert made.stamp.slot_id == manual_id("a", "00ff")
    assert (made.stamp.trigger, made.stamp.scheduled_for) == (Trigger.MANUAL, NINE)
    assert made.stamp.deadline == NINE + seconds(20)
    assert made.options == {"queue": "accounts", "expires": NINE + seconds(20)}
