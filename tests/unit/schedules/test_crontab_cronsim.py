"""Crontabs against cronsim, a second opinion, where both mean the same.

Left out: day of month and day of week both restricted (cronsim says OR), Sunday-crossing and other wrap-around ranges
(cronsim refuses them), a starred minute at a fixed hour (Debian cron's fixed times need both fixed), a star in a zone
that changes by half an hour or at 02:45, and a star where midnight is skipped: there cronsim is known to be wrong.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clock_changes import CHANGING, ZONES, Change, changes_of
from tests.support.generated import near
from tests.support.rules import cron, take, utc

WHOLE_HOURS = [
    change for zone in CHANGING for change in changes_of(zone) if change.shift % timedelta(hours=1) == timedelta(0)
]


def _midnight_is_skipped(change: Change) -> bool:
    shown = change.at.astimezone(ZoneInfo(change.zone))
    before = shown - change.shift - timedelta(microseconds=1)
    return change.shift > timedelta(0) and shown.date() != before.date()


def _at_the_full_hour(change: Change) -> bool:
    return change.at.astimezone(ZoneInfo(change.zone)).minute == 0


AWAKE = [
    change
    for change in WHOLE_HOURS
    if _at_the_full_hour(change) and not any(map(_midnight_is_skipped, changes_of(change.zone)))
]


def _of_cronsim(expression: str, zone: str, after: datetime, count: int) -> list[datetime]:
    walk = CronSim(expression, after.astimezone(ZoneInfo(zone)))
    return [next(walk).astimezone(after.tzinfo) for _ in range(count)]


FIXED_MINUTES = st.sampled_from(["0", "5", "30", "59", "0,30", "10-12", "0-59/20"])
FIXED_HOURS = st.sampled_from(["0", "1", "2", "3", "23", "0,2", "1-3", "0-23", "0-22/2", "9-17"])
STARRED_HOURS = st.sampled_from(["*", "*/2", "*/3", "*/8"])
STARRED_MINUTES = st.sampled_from(["*", "*/15", "*/20"])
DAYS = st.sampled_from(["* * *", "* * mon-fri", "* * 0", "* * 7", "* * sat,sun", "1-7 * *", "*/2 * *", "1 jan-jun *"])


def _expression(minute: st.SearchStrategy[str], hour: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(minute, hour, DAYS).map(" ".join)


@settings(max_examples=200)
@given(
    expression=_expression(FIXED_MINUTES, FIXED_HOURS),
    case=st.sampled_from([change for zone in CHANGING for change in changes_of(zone)]).flatmap(
        lambda change: st.tuples(st.just(change.zone), near(change))
    ),
)
def test_fixed_times_are_those_of_cronsim_around_every_change(expression: str, case: tuple[str, datetime]) -> None:
    zone, after = case
    ours = take(cron(expression, zone), after, 6)
    # Several fixed times inside one gap are one fire time here, and one after the other in cronsim.
    theirs = [at for at in dict.fromkeys(_of_cronsim(expression, zone, after, 240)) if at > after]
    assert ours == theirs[:6]


@settings(max_examples=200)
@given(
    expression=_expression(st.one_of(FIXED_MINUTES, STARRED_MINUTES), STARRED_HOURS),
    case=st.sampled_from(AWAKE).flatmap(lambda change: st.tuples(st.just(change.zone), near(change))),
)
def test_starred_hours_are_those_of_cronsim_around_changes_of_whole_hours(
    expression: str, case: tuple[str, datetime]
) -> None:
    zone, after = case
    assert take(cron(expression, zone), after, 6) == _of_cronsim(expression, zone, after, 6)


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_nights_is_that_of_cronsim(zone: str) -> None:
    start = utc("2026-01-01T12:00")
    assert take(cron("30 2 * * *", zone), start, 365) == _of_cronsim("30 2 * * *", zone, start, 365)


@pytest.mark.parametrize(
    ("month_day", "theirs"),
    [("last day", "30 23 L * *"), ("last weekday", "30 23 LW * *"), ("2nd tue", "30 23 * * tue#2"),
     ("5th sun", "30 23 * * sun#5"), ("last fri", "30 23 * * 5L")],
)  # fmt: skip
def test_days_by_name_are_those_of_cronsim(month_day: str, theirs: str) -> None:
    start, zone = utc("2025-01-01T00:00"), "Europe/Madrid"
    rule = type(cron("* * * * *"))("30", "23", zone=ZoneInfo(zone), month_day=month_day)
    assert take(rule, start, 60) == _of_cronsim(theirs, zone, start, 60)
