"""Who is asked for the next fire time: our rules, celery's and cronsim's, and the bare limit, over one mix.

All are given UTC instants and asked for an instant (celery: for the time that is left), as a beat needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import schedule
from cronsim import CronSim
from django_celery_beat.tzcrontab import TzAwareCrontab

from bench.timing_mix import INTERVALS, YEAR_BEGINS, crontab_cases, interval_instants
from schedules.timing.crontab import Crontab
from schedules.timing.interval import Interval

STEPS_A_WALK = 10

Ask = Callable[[], list[Any]]
_APP = Celery("bench", set_as_current=False)


@dataclass(slots=True)
class _Clock:
    """The clock that celery's rules read: it shows the instant they are asked about."""

    now: datetime = field(default=YEAR_BEGINS)

    def __call__(self) -> datetime:
        return self.now


def our_intervals() -> Ask:
    """Every interval of the mix at every instant."""
    rules = [Interval(timedelta(**{period: every})) for every, period in INTERVALS]
    cases = [(rule, instant) for rule in rules for instant in interval_instants()]
    return lambda: [rule.next_after(instant) for rule, instant in cases]


def celery_intervals() -> Ask:
    """The same of celery, whose intervals count from the last run."""
    clock = _Clock()
    rules = [schedule(timedelta(**{period: every}), nowfun=clock, app=_APP) for every, period in INTERVALS]
    cases = [(rule, instant) for rule in rules for instant in interval_instants()]

    def ask() -> list[Any]:
        answers = []
        for rule, instant in cases:
            clock.now = instant
            answers.append(rule.remaining_estimate(instant))
        return answers

    return ask


def our_crontabs() -> Ask:
    """Every crontab of the mix in every zone, at every instant of its own."""
    cases = [
        (Crontab(*case.fields, zone=ZoneInfo(case.zone)), instant)
        for case in crontab_cases()
        for instant in case.instants
    ]
    return lambda: [rule.next_after(instant) for rule, instant in cases]


def celery_crontabs() -> Ask:
    """The same of the rule that django-celery-beat makes of its rows, built beforehand."""
    clock, cases = _Clock(), []
    for case in crontab_cases():
        minute, hour, day_of_month, month_of_year, day_of_week = case.fields
        zone = ZoneInfo(case.zone)
        rule: Any = TzAwareCrontab(minute, hour, day_of_week, day_of_month, month_of_year, zone, _APP)
        rule.nowfun = clock
        cases += [(rule, instant) for instant in case.instants]

    def ask() -> list[Any]:
        answers = []
        for rule, instant in cases:
            clock.now = instant
            answers.append(rule.remaining_estimate(instant))
        return answers

    return ask


def cronsim_crontabs() -> Ask:
    """The same of cronsim, which reads the text anew for every instant it is asked about."""
    cases = [(case.text, ZoneInfo(case.zone), at) for case in crontab_cases() for at in case.instants]
    return lambda: [next(CronSim(text, at.astimezone(zone))).astimezone(UTC) for text, zone, at in cases]


def our_walks() -> Ask:
    """Each crontab's first fire times of the year, each asked from the one before."""
    rules = [Crontab(*case.fields, zone=ZoneInfo(case.zone)) for case in crontab_cases()]
    return lambda: [fire_time for rule in rules for fire_time in islice(_walk(rule), STEPS_A_WALK)]


def _walk(rule: Crontab) -> Iterator[datetime]:
    fire_time = rule.next_after(YEAR_BEGINS)
    while fire_time is not None:
        yield fire_time
        fire_time = rule.next_after(fire_time)


def cronsim_walks() -> Ask:
    """The same of cronsim at its best: the text is read once a walk."""
    cases = [(case.text, YEAR_BEGINS.astimezone(ZoneInfo(case.zone))) for case in crontab_cases()]
    return lambda: [at.astimezone(UTC) for text, start in cases for at in islice(CronSim(text, start), STEPS_A_WALK)]


def additions() -> Ask:
    """The least an interval can cost: one addition."""
    cases = [(timedelta(**{period: every}), at) for every, period in INTERVALS for at in interval_instants()]
    return lambda: [instant + step for step, instant in cases]


def conversions() -> Ask:
    """The least a crontab in a zone can cost: to the wall clock there and back."""
    cases = [(ZoneInfo(case.zone), at) for case in crontab_cases() for at in case.instants]
    return lambda: [instant.astimezone(zone).astimezone(UTC) for zone, instant in cases]
