"""Bounds, one-time rules and the walk over fire times."""

from __future__ import annotations

from datetime import timedelta

from schedules.timing.interval import Interval
from schedules.timing.rule import Bounded, Once, fire_times
from tests.support.rules import between, cron, take, utc, utcs

NINE = utc("2026-03-10T09:00:00")


def test_once_fires_strictly_after_the_instant_and_never_again() -> None:
    assert Once(NINE).next_after(NINE - timedelta(microseconds=1)) == NINE
    assert Once(NINE).next_after(NINE) is None


def test_a_bound_includes_its_start_and_excludes_its_end() -> None:
    rule = Bounded(Interval(timedelta(seconds=10)), start=NINE, end=NINE + timedelta(seconds=30))
    assert take(rule, NINE - timedelta(days=1), 9) == [NINE + timedelta(seconds=n) for n in (0, 10, 20)]


def test_b28_nothing_fires_at_or_after_the_expiry() -> None:
    rule = Bounded(Interval(timedelta(seconds=10), NINE), start=NINE, end=utc("2026-03-10T09:00:35"))
    assert take(rule, NINE, 9) == utcs("2026-03-10T09:00:10", "2026-03-10T09:00:20", "2026-03-10T09:00:30")


def test_b26a_a_start_time_in_the_past_is_no_reason_to_fire() -> None:
    rule = Bounded(cron("0 15 * * *"), start=utc("2026-03-10T08:58"))
    assert between(rule, NINE, utc("2026-03-10T23:59")) == utcs("2026-03-10T15:00")


def test_b26c_a_crontab_waits_for_its_start_time_inclusive() -> None:
    rule = Bounded(cron("0 * * * *"), start=utc("2026-03-12T00:00"))
    assert take(rule, NINE, 2) == utcs("2026-03-12T00:00", "2026-03-12T01:00")


def test_a_start_that_is_no_fire_time_is_not_one() -> None:
    assert Bounded(cron("0 * * * *"), start=utc("2026-03-12T00:00:01")).next_after(NINE) == utc("2026-03-12T01:00")


def test_a_clocked_time_after_the_end_never_fires() -> None:
    assert Bounded(Once(NINE), end=NINE).next_after(NINE - timedelta(days=1)) is None


def test_fire_times_exclude_the_begin_and_include_the_end() -> None:
    rule = Interval(timedelta(seconds=10))
    assert list(fire_times(rule, NINE, NINE + timedelta(seconds=20))) == [NINE + timedelta(seconds=n) for n in (10, 20)]
    assert list(fire_times(rule, NINE, NINE)) == []
    assert list(fire_times(Once(NINE), NINE, NINE + timedelta(days=1))) == []
