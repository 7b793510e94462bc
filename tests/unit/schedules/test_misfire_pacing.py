"""Pacing: of several missed fire times one goes now and the others wait their turn, in order, none lost."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.timing.misfire import CatchUp, MisfirePolicy, decide
from tests.support.rules import utc

NOW = utc("2026-03-10T09:10:00")


def _ago(*seconds: float) -> tuple[datetime, ...]:
    return tuple(NOW - timedelta(seconds=count) for count in seconds)


def _policy(catch_up: CatchUp = CatchUp.ALL, limit: int = 100) -> MisfirePolicy:
    return MisfirePolicy(catch_up, timedelta(seconds=60), timedelta(seconds=5), limit, pace=timedelta(seconds=2))


@pytest.mark.parametrize(
    ("policy", "due", "on_time", "catch_up", "skipped", "paced"),
    [
        (_policy(), (40, 20), (), (40,), (), (20,)),
        (_policy(), (40, 20, 3), (), (40,), (), (20, 3)),
        (_policy(), (90, 40, 20), (), (40,), (90,), (20,)),
        (_policy(limit=2), (50, 40, 30, 1), (), (40,), (50,), (30, 1)),
        (_policy(), (40,), (), (40,), (), ()),
        # Without anything to catch up, nothing is held back.
        (_policy(), (3, 1), (3, 1), (), (), ()),
        (_policy(), (90, 1), (1,), (), (90,), ()),
        (_policy(CatchUp.SKIP), (40, 20, 1), (1,), (), (40, 20), ()),
        (_policy(CatchUp.LATEST), (40, 20), (), (20,), (40,), ()),
        (_policy(CatchUp.LATEST), (40, 20, 1), (1,), (), (40, 20), ()),
        (_policy(), (), (), (), (), ()),
    ],
)
def test_decisions_with_a_pace(
    policy: MisfirePolicy,
    due: tuple[float, ...],
    on_time: tuple[float, ...],
    catch_up: tuple[float, ...],
    skipped: tuple[float, ...],
    paced: tuple[float, ...],
) -> None:
    decision = decide(_ago(*due), policy, NOW)
    assert decision.on_time == _ago(*on_time)
    assert decision.catch_up == _ago(*catch_up)
    assert decision.skipped == _ago(*skipped)
    assert decision.paced == _ago(*paced)


@given(
    catch_up=st.sampled_from(CatchUp),
    limit=st.integers(1, 5),
    lateness=st.sets(st.integers(0, 900), max_size=12),
)
def test_every_due_fire_time_is_in_exactly_one_place_and_what_waits_comes_behind(
    catch_up: CatchUp, limit: int, lateness: set[int]
) -> None:
    due = _ago(*sorted(lateness, reverse=True))
    decision = decide(due, _policy(catch_up, limit), NOW)
    assert sorted((*decision.on_time, *decision.catch_up, *decision.skipped, *decision.paced)) == list(due)
    if decision.paced:
        assert len(decision.catch_up) == 1
        assert decision.on_time == ()
        assert list(decision.paced) == sorted(decision.paced)
        assert decision.catch_up[0] < decision.paced[0]
