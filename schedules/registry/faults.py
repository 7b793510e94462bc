"""Which field is to blame when a schedule cannot run, so that form and file can say it there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from schedules.models import ScheduleOptions
from schedules.timing.crontab import Crontab
from schedules.timing.rule import InvalidRule
from schedules.timing.solar import EVENTS, Solar
from schedules.validation import validate

CRONTAB_FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
_UTC = ZoneInfo("UTC")
# In the order in which they are suspected.
_SUSPECTS = ("seconds", "month_day", "interval_zone", "jitter_seconds", "calendar", "ends_at")


def crontab_faults(texts: Mapping[str, str], zone: ZoneInfo = _UTC) -> dict[str, str]:
    """A sentence for each field that cannot be read or stored; at the day of month, that the date never comes.

    The same judgement as the beat's: django-celery-beat's own checks refuse some fields that fire, and take others
    that never do.
    """
    each = {name: _too_long(name, text) or _unread({name: text}) for name, text in texts.items()}
    faults = {name: found for name, found in each.items() if found}
    if not faults and (never := _unread(texts, zone)):
        faults["day_of_month"] = never
    return faults


def solar_faults(event: str, latitude: float, longitude: float) -> dict[str, str]:
    """A sentence for an event that is unknown, and for a place that is not on Earth."""
    alone = {"event": (event, 0, 0), "latitude": (EVENTS[0], latitude, 0), "longitude": (EVENTS[0], 0, longitude)}
    return {name: found for name, values in alone.items() if (found := _refused(partial(Solar, *values)))}


def _too_long(name: str, text: str) -> str:
    longest = CrontabSchedule._meta.get_field(name).max_length
    return f"it has {len(text)} characters, more than {longest}: shorten it with ranges" if len(text) > longest else ""


def _unread(texts: Mapping[str, str], zone: ZoneInfo = _UTC) -> str:
    return _refused(lambda: Crontab(zone=zone, **texts))


def _refused(make: Callable[[], object]) -> str:
    try:
        make()
    except InvalidRule as error:
        return str(error)
    return ""


def option_faults(row: PeriodicTask, options: ScheduleOptions) -> dict[str, str]:
    """A sentence for each option at fault; "" for what no option alone explains. Empty when the row can run.

    At fault is an option without which the row could run, or would at least fail in another way. Options of a row that
    could not run with any are not judged: the row's own fault is told where it lies.
    """
    faults: dict[str, str] = {}
    if _problem(row, ScheduleOptions()):
        return faults
    while problem := _problem(row, options):
        culprit = _culprit(row, options, problem)
        faults[culprit] = problem
        if not culprit:
            break
        options = _without(options, culprit)
    return faults


def _culprit(row: PeriodicTask, options: ScheduleOptions, problem: str) -> str:
    defaults = ScheduleOptions()
    given = [name for name in _SUSPECTS if getattr(options, name) != getattr(defaults, name)]
    otherwise = {name: _problem(row, _without(options, name)) for name in given}
    cured = (name for name, found in otherwise.items() if not found)
    changed = (name for name, found in otherwise.items() if found != problem)
    return next(cured, None) or next(changed, "")


def _problem(row: PeriodicTask, options: ScheduleOptions) -> str:
    try:
        validate(row, options)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def _without(options: ScheduleOptions, name: str) -> ScheduleOptions:
    changed = copy(options)
    setattr(changed, name, getattr(ScheduleOptions(), name))
    return changed
