"""Fire times: a row of django-celery-beat's and our options for it become one rule, or a reason why it cannot."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django_celery_beat.models import PeriodicTask

from schedules.models import ScheduleOptions
from schedules.timing.crontab import Crontab
from schedules.timing.exclusion import Excluding
from schedules.timing.interval import EPOCH, Interval, WallInterval
from schedules.timing.rule import Bounded, InvalidRule, Once, Rule
from schedules.timing.solar import Solar
from schedules.timing.wall_clock import once_of

_UTC = ZoneInfo("UTC")
_ANY_START = datetime(2024, 1, 1, tzinfo=UTC)


def rule_of(row: PeriodicTask, options: ScheduleOptions | None = None) -> Bounded:
    """When the row fires, within its start, its end and its calendar. Raises InvalidRule, with what to do."""
    options = options or options_of(row)
    _refuse_misplaced(row, options)
    rule = unbounded_rule_of(row, options)
    if dates := excluded_dates(options):
        rule = Excluding(rule, dates, zone_of(row, options))
    ends = [end for end in (row.expires, options.ends_at) if end is not None]
    return Bounded(rule, start=row.start_time, end=min(ends, default=None))


def options_of(row: PeriodicTask) -> ScheduleOptions:
    """The row's options; the defaults where it has none."""
    return getattr(row, "slotbeat", None) or ScheduleOptions(periodic_task=row)


def unbounded_rule_of(row: PeriodicTask, options: ScheduleOptions) -> Rule:
    """When the row would fire without end, start and calendar. Raises InvalidRule."""
    if row.interval and options.interval_zone:
        return _wall_interval(row, options)
    if row.interval:
        return interval_of(row.interval.every, row.interval.period, row.start_time or EPOCH)
    if row.crontab:
        cron = row.crontab
        return Crontab(
            *(cron.minute, cron.hour, cron.day_of_month, cron.month_of_year, cron.day_of_week),
            zone=zone_named(str(cron.timezone)),
            seconds=options.seconds or "0",
            month_day=options.month_day,
        )
    if row.clocked:
        return Once(row.clocked.clocked_time)
    if row.solar:
        return Solar(row.solar.event, float(row.solar.latitude), float(row.solar.longitude))
    raise InvalidRule("it has no interval, crontab, clocked time or solar event: set one of them")


def interval_of(every: int, period: str, anchor: datetime = EPOCH) -> Interval:
    """The rule of an IntervalSchedule's fields. Raises InvalidRule."""
    try:
        return Interval(timedelta(**{period: every}), anchor)
    except OverflowError as error:
        raise InvalidRule(f"every {every} {period} is too long: the longest interval is 100 years") from error
    except TypeError as error:
        raise InvalidRule(f"an interval has no period {period!r}: take days, hours, minutes or seconds") from error


def zone_of(row: PeriodicTask, options: ScheduleOptions) -> ZoneInfo:
    """The zone in which the row's days begin: its crontab's, its interval's, else UTC. Raises InvalidRule."""
    if row.crontab:
        return zone_named(str(row.crontab.timezone))
    return zone_named(options.interval_zone) if options.interval_zone else _UTC


def zone_named(name: str) -> ZoneInfo:
    """The zone of that name. Raises InvalidRule."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidRule(f"time zone {name!r} is not known here: take a name such as Europe/Berlin") from error


def excluded_dates(options: ScheduleOptions) -> frozenset[date]:
    """The dates of the options' calendar."""
    if options.calendar is None:
        return frozenset()
    return frozenset(day.date for day in options.calendar.dates.all())


def period_of(rule: Rule) -> timedelta:
    """From one fire time to the next, somewhere; a day where the rule has no two."""
    first = rule.next_after(_ANY_START)
    second = rule.next_after(first) if first else None
    return second - first if first and second else timedelta(days=1)


def _wall_interval(row: PeriodicTask, options: ScheduleOptions) -> WallInterval:
    zone = zone_named(options.interval_zone)
    if row.interval.period != "days":
        raise InvalidRule(
            f"interval_zone {options.interval_zone!r}: an interval of {row.interval.period} follows no wall clock, "
            "only one of days does; leave interval_zone empty"
        )
    first_midnight = datetime(1970, 1, 1)  # noqa: DTZ001 a wall time
    return WallInterval(row.interval.every, row.start_time or once_of(first_midnight, zone), zone)


def _refuse_misplaced(row: PeriodicTask, options: ScheduleOptions) -> None:
    for field, owner in (("seconds", "crontab"), ("month_day", "crontab"), ("interval_zone", "interval")):
        value = getattr(options, field)
        if value and not getattr(row, owner):
            raise InvalidRule(
                f"{field} {value!r} belongs to a schedule with {owner}, which this has not: leave it empty"
            )
