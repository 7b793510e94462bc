"""Which missed fire times still go: every policy against window, lateness and limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.timing.misfire import MAX_WINDOW, CatchUp, MisfirePolicy, decide, default_window
from schedules.timing.rule import fire_times
from tests.support.rules import cron, utc, utcs

NOW = utc("2026-03-10T09:10:00")


def _ago(*seconds: float) -> tuple[datetime, ...]:
    return tuple(NOW - timedelta(seconds=count) for count in seconds)


def _policy(catch_up: CatchUp, window: float = 60, on_time: float = 5, limit: int = 100) -> MisfirePolicy:
    return MisfirePolicy(catch_up, timedelta(seconds=window), timedelta(seconds=on_time), limit)


@pytest.mark.parametrize(
    ("policy", "due", "on_time", "catch_up", "skipped"),
    [
        # On time is on time under every policy.
        (_policy(CatchUp.SKIP), (5, 0), (5, 0), (), ()),
        (_policy(CatchUp.LATEST), (5, 0), (5, 0), (), ()),
        (_policy(CatchUp.ALL), (5, 0), (5, 0), (), ()),
        # Missed inside the window.
        (_policy(CatchUp.SKIP), (40, 20), (), (), (40, 20)),
        (_policy(CatchUp.LATEST), (40, 20), (), (20,), (40,)),
        (_policy(CatchUp.ALL), (40, 20), (), (40, 20), ()),
        # The latest is replaced by one that is on time; all others are not.
        (_policy(CatchUp.LATEST), (40, 20, 1), (1,), (), (40, 20)),
        (_policy(CatchUp.ALL), (40, 20, 1), (1,), (40, 20), ()),
        # The window's end belongs to it, and so does the end of being on time.
        (_policy(CatchUp.LATEST), (60,), (), (60,), ()),
        (_policy(CatchUp.LATEST), (60.001,), (), (), (60.001,)),
        (_policy(CatchUp.ALL), (90, 60, 30), (), (60, 30), (90,)),
        (_policy(CatchUp.SKIP, on_time=0), (0.001, 0), (0,), (), (0.001,)),
        # The limit keeps the newest.
        (_policy(CatchUp.ALL, limit=2), (40, 30, 20, 10), (), (20, 10), (40, 30)),
        (_policy(CatchUp.ALL, limit=2), (40, 30, 20, 3), (3,), (30, 20), (40,)),
        (_policy(CatchUp.LATEST), (), (), (), ()),
    ],
)
def test_decisions(
    policy: MisfirePolicy,
    due: tuple[float, ...],
    on_time: tuple[float, ...],
    catch_up: tuple[float, ...],
    skipped: tuple[float, ...],
) -> None:
    decision = decide(_ago(*due), policy, NOW)
    assert decision.on_time == _ago(*on_time)
    assert decision.catch_up == _ago(*catch_up)
    assert decision.skipped == _ago(*skipped)


def _due(expression: str, after: str, now: datetime) -> list[datetime]:
    return list(fire_times(cron(expression), utc(after), now))


def test_b24_an_hourly_schedule_after_two_hours_down() -> None:
    now = utc("2026-03-10T11:55:00")
    due = _due("0 * * * *", "2026-03-10T09:00:00", now)
    window = MAX_WINDOW / timedelta(seconds=1)
    assert decide(due, _policy(CatchUp.SKIP, window), now).catch_up == ()
    assert decide(due, _policy(CatchUp.LATEST, window), now).catch_up == tuple(utcs("2026-03-10T11:00:00"))


def test_b27a_half_an_hour_of_missed_minutes_is_one_catch_up() -> None:
    now = utc("2026-03-10T09:30:20")
    decision = decide(_due("* * * * *", "2026-03-10T09:00:00", now), _policy(CatchUp.LATEST, 3600), now)
    assert decision.catch_up == tuple(utcs("2026-03-10T09:30:00"))
    assert len(decision.skipped) == 29


@pytest.mark.parametrize(("window", "going"), [(180, 1), (179, 0), (1, 0)])
def test_b27b_a_daily_schedule_goes_three_minutes_late_only_within_its_window(window: float, going: int) -> None:
    now = utc("2026-03-10T15:03:00")
    decision = decide(_due("0 15 * * *", "2026-03-09T15:00:00", now), _policy(CatchUp.LATEST, window), now)
    assert decision.catch_up == tuple(utcs("2026-03-10T15:00:00")[:going])
    assert len(decision.skipped) == 1 - going


@pytest.mark.parametrize(
    ("period", "window"),
    [
        (timedelta(seconds=1), timedelta(minutes=1)),
        (timedelta(minutes=2), timedelta(minutes=1)),
        (timedelta(hours=1), timedelta(minutes=30)),
        (timedelta(days=1), timedelta(hours=12)),
        (timedelta(days=30), timedelta(hours=12)),
    ],
)
def test_the_default_window_is_half_the_period_within_bounds(period: timedelta, window: timedelta) -> None:
    assert default_window(period) == window


@given(
    catch_up=st.sampled_from(CatchUp),
    window=st.integers(1, 600),
    limit=st.integers(1, 5),
    lateness=st.sets(st.integers(0, 900), max_size=12),
)
def test_every_due_fire_time_is_in_exactly_one_place(
    catch_up: CatchUp, window: int, limit: int, lateness: set[int]
) -> None:
    due = _ago(*sorted(lateness, reverse=True))
    decision = decide(due, _policy(catch_up, window, limit=limit), NOW)
    assert sorted((*decision.on_time, *decision.catch_up, *decision.skipped)) == list(due)
    for part in (decision.on_time, decision.catch_up, decision.skipped):
        assert list(part) == sorted(part)
    assert len(decision.catch_up) <= {CatchUp.SKIP: 0, CatchUp.LATEST: 1, CatchUp.ALL: limit}[catch_up]
    assert all(NOW - instant <= timedelta(seconds=window) for instant in decision.catch_up)


@given(policy=st.sampled_from(CatchUp), seconds=st.integers(0, 10**6))
def test_a_decision_does_not_depend_on_the_date(policy: CatchUp, seconds: int) -> None:
    later = timedelta(seconds=seconds)
    due = _ago(70, 50, 30, 2)
    moved = decide([instant + later for instant in due], _policy(policy), NOW + later)
    assert moved.catch_up == tuple(instant + later for instant in decide(due, _policy(policy), NOW).catch_up)
    assert moved.on_time == (NOW - timedelta(seconds=2) + later,)
    assert moved.on_time[0].tzinfo is UTC
