"""The beat's memory: what is due, what is dealt with, and what never comes again."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from schedules.plan import Due, Plan
from schedules.timing.misfire import MisfirePolicy
from schedules.timing.rule import Once
from tests.support.rules import cron, utc
from tests.support.schedules import NINE, by_name, definition, seconds


def _plan(*definitions: object, now: datetime = NINE, last_slots: dict[str, datetime] | None = None) -> Plan:
    plan = Plan(last_slots or {})
    plan.refresh(by_name(*definitions), now)  # type: ignore[arg-type] # definitions, all of them
    return plan


def _fire_times(dues: list[Due]) -> dict[str, list[datetime]]:
    return {due.definition.name: list(due.fire_times) for due in dues}


def _after(count: float) -> datetime:
    return NINE + seconds(count)


def test_an_empty_plan_has_nothing_to_do() -> None:
    plan = Plan({})
    assert plan.next_fire_time is None
    assert plan.take_due(NINE) == []
    assert len(plan) == 0


def test_a_new_schedule_begins_after_its_row_was_saved() -> None:
    plan = _plan(definition(since=_after(-3)))
    assert plan.next_fire_time == NINE
    assert _fire_times(plan.take_due(NINE)) == {"a": [NINE]}


def test_what_is_due_comes_in_order_of_time() -> None:
    plan = _plan(definition("late", since=_after(-3)), definition("early", since=_after(-13)))
    assert [due.definition.name for due in plan.take_due(_after(-3))] == ["early"]
    plan = _plan(definition("b", since=_after(-3)), definition("a", since=_after(-13)))
    assert [due.definition.name for due in plan.take_due(NINE)] == ["a", "b"]


def test_nothing_is_due_before_its_time() -> None:
    plan = _plan(definition(since=_after(-3)))
    assert plan.take_due(NINE - timedelta(microseconds=1)) == []


def test_a_schedule_goes_on_after_its_last_slot_in_the_ledger() -> None:
    plan = _plan(definition(since=_after(-3600)), last_slots={"a": _after(-20)})
    assert _fire_times(plan.take_due(NINE)) == {"a": [_after(-10), NINE]}


def test_a_change_of_the_row_after_the_last_slot_counts_more() -> None:
    plan = _plan(definition(since=_after(-5)), last_slots={"a": _after(-20)})
    assert _fire_times(plan.take_due(NINE)) == {"a": [NINE]}


def test_settled_fire_times_do_not_come_again() -> None:
    plan = _plan(definition(since=_after(-3)))
    (due,) = plan.take_due(_after(14))
    assert list(due.fire_times) == [NINE, _after(10)]
    plan.settle(due, until=_after(14))
    assert plan.take_due(_after(14)) == []
    assert plan.next_fire_time == _after(20)


def test_what_is_put_back_is_due_again_with_what_came_since() -> None:
    plan = _plan(definition(since=_after(-3)))
    (due,) = plan.take_due(NINE)
    plan.put_back(due)
    assert plan.next_fire_time == NINE
    assert _fire_times(plan.take_due(_after(10))) == {"a": [NINE, _after(10)]}


def test_what_was_taken_is_not_due_twice_before_it_is_settled() -> None:
    plan = _plan(definition(since=_after(-3)))
    assert len(plan.take_due(NINE)) == 1
    assert plan.take_due(_after(30)) == []


def test_a_schedule_seen_for_the_first_time_by_a_running_beat_starts_at_the_look_before() -> None:
    """Re-enabled by QuerySet.update: its row says nothing of it, yet it was off until the look before."""
    plan = _plan(definition("other", since=_after(-3)))
    plan.refresh(by_name(definition("other", since=_after(-3)), definition("a")), _after(1000))
    assert plan.take_due(NINE)[0].definition.name == "other"
    assert _fire_times(plan.take_due(_after(10))) == {"a": [_after(10)]}


def test_b24_a_schedule_that_was_off_fires_for_nothing_in_between() -> None:
    hourly = definition(rule=cron("0 * * * *"), since=utc("2026-03-09T00:00"))
    plan = _plan(hourly, now=utc("2026-03-10T09:00:30"), last_slots={"a": utc("2026-03-10T09:00")})
    plan.refresh({}, utc("2026-03-10T09:10"))
    assert len(plan) == 0
    assert plan.next_fire_time is None
    plan.refresh({}, utc("2026-03-10T11:29:59"))
    plan.refresh(by_name(hourly), utc("2026-03-10T11:30"))
    assert plan.take_due(utc("2026-03-10T11:59:59")) == []
    assert _fire_times(plan.take_due(utc("2026-03-10T12:00"))) == {"a": [utc("2026-03-10T12:00")]}


def test_a_changed_rule_counts_from_the_change() -> None:
    plan = _plan(definition(since=_after(-3)))
    changed = definition(rule=cron("*/5 * * * *"), since=_after(4))
    plan.refresh(by_name(changed), _after(5))
    assert plan.next_fire_time == utc("2026-03-10T09:05")
    assert plan.take_due(_after(60)) == []


def test_a_change_of_anything_else_moves_no_fire_time() -> None:
    plan = _plan(definition(since=_after(-3)))
    plan.refresh(by_name(definition(since=_after(4), kwargs={"x": 1})), _after(5))
    (due,) = plan.take_due(_after(5))
    assert list(due.fire_times) == [NINE]
    assert due.definition.kwargs == {"x": 1}


def test_a_change_back_and_forth_leaves_no_stale_time_behind() -> None:
    first, second = definition(since=_after(-3)), definition(rule=cron("* * * * *"), since=_after(-2))
    plan = _plan(first, now=_after(-2))
    for n in range(4):
        plan.refresh(by_name(second if n % 2 == 0 else first), _after(-2))
    dues = plan.take_due(_after(10))
    assert _fire_times(dues) == {"a": [NINE, _after(10)]}
    plan.settle(dues[0], until=_after(10))
    assert plan.next_fire_time == _after(20)


def test_a_forgotten_schedule_that_comes_back_is_due_once() -> None:
    plan = _plan(definition(since=_after(-3)), now=_after(-2))
    plan.refresh({}, _after(-2))
    plan.refresh(by_name(definition(since=_after(-3))), _after(-1))
    assert _fire_times(plan.take_due(NINE)) == {"a": [NINE]}
    assert plan.take_due(NINE) == []


def test_a_one_off_fires_once() -> None:
    plan = _plan(definition(since=_after(-3), one_off=True))
    (due,) = plan.take_due(_after(25))
    assert list(due.fire_times) == [NINE]
    plan.settle(due, until=_after(25))
    assert plan.next_fire_time is None
    assert plan.take_due(_after(1000)) == []


def test_a_one_off_that_was_put_back_still_fires() -> None:
    plan = _plan(definition(since=_after(-3), one_off=True))
    (due,) = plan.take_due(NINE)
    plan.put_back(due)
    assert _fire_times(plan.take_due(_after(1))) == {"a": [NINE]}


def test_an_edit_of_a_spent_one_off_fires_again_only_with_another_time() -> None:
    spent = definition(rule=Once(NINE), since=_after(-3), one_off=True)
    plan = _plan(spent)
    plan.settle(plan.take_due(NINE)[0], until=NINE)
    plan.refresh(by_name(definition(rule=Once(NINE), since=_after(1), one_off=True, args=[1])), _after(2))
    assert plan.next_fire_time is None
    plan.refresh(by_name(definition(rule=Once(_after(9)), since=_after(3), one_off=True)), _after(4))
    assert plan.next_fire_time == _after(9)


def test_b20_a_restarted_beat_does_not_repeat_a_clocked_one_off() -> None:
    plan = _plan(definition(rule=Once(NINE), one_off=True), now=_after(5), last_slots={"a": NINE})
    assert plan.next_fire_time is None


def test_fire_times_far_outside_the_window_cost_nothing() -> None:
    policy = MisfirePolicy(window=timedelta(minutes=1))
    plan = _plan(definition(since=NINE - timedelta(days=3650), misfire=policy))
    (due,) = plan.take_due(NINE)
    assert len(due.fire_times) == 7


@pytest.mark.parametrize("one_off", [True, False])
def test_a_fire_time_missed_beyond_its_window_is_still_named_so_that_it_can_be_explained(one_off: bool) -> None:
    """Nothing is recorded of a slot that the plan does not name: nobody could say why it did not run."""
    policy = MisfirePolicy(window=timedelta(minutes=1))
    missed = definition(rule=Once(NINE), since=_after(-60), misfire=policy, one_off=one_off)
    (due,) = _plan(missed, now=_after(3600)).take_due(_after(3600))
    assert list(due.fire_times) == [NINE]
