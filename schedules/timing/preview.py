"""The fire times to come with what a person must know of each: clock changes, jitter, excluded dates. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from schedules.timing.cron_fields import HOUR, read_field
from schedules.timing.crontab import Crontab
from schedules.timing.exclusion import Excluding
from schedules.timing.interval import WallInterval
from schedules.timing.rule import TICK, Bounded, Rule, fire_times
from schedules.timing.wall_clock import passes_of, wall_of

LONG_WAIT = timedelta(days=30)
_FOR_EVER = datetime.max.replace(tzinfo=UTC)
_UTC = ZoneInfo("UTC")
_EXCLUDED = "excluded date: no slot"


@dataclass(frozen=True, slots=True)
class FireTime:
    """One fire time in UTC; `note` is empty where nothing is special. On an excluded date it does not fire."""

    instant: datetime
    note: str = ""
    fires: bool = True


def preview(rule: Rule, after: datetime, count: int, zone: ZoneInfo, jitter: timedelta) -> list[FireTime]:
    """The first `count` fire times after `after`, those on excluded dates among them in their places.

    `zone` is the one in which they are shown, `jitter` how long after each its slot is handed over.
    """
    instants = islice(fire_times(_not_excluding(rule), after, _FOR_EVER), count)
    return [_fire_time(rule, instant, zone, jitter) for instant in instants]


def wait_in_words(rule: Rule, after: datetime, listed: Sequence[FireTime], zone: ZoneInfo) -> str:
    """As in `no fire until 2026-07-25`, when that is over 30 days ahead or nothing listed fires; empty else."""
    first = rule.next_after(after)
    if first is None:
        return f"no fire time after {wall_of(after, zone):%Y-%m-%d %H:%M:%S} ({zone.key})"
    if first - after > LONG_WAIT or not any(each.fires for each in listed):
        return f"no fire until {wall_of(first, zone):%Y-%m-%d}"
    return ""


def _fire_time(rule: Rule, instant: datetime, zone: ZoneInfo, jitter: timedelta) -> FireTime:
    if not rule.matches(instant):
        return FireTime(instant, _EXCLUDED, fires=False)
    return FireTime(instant, "; ".join(_notes(_core(rule), instant, zone, jitter)))


def _notes(core: Rule, instant: datetime, zone: ZoneInfo, jitter: timedelta) -> Iterator[str]:
    own = core.zone if isinstance(core, Crontab | WallInterval) else zone
    elsewhere = f" in {own.key}" if own.key != zone.key else ""
    if moved := _moved(core, instant):
        verb = "do" if " " in moved else "does"
        yield f"gap: {moved} {verb} not exist that day{elsewhere}"
    yield from _pass(instant, zone, "")
    if elsewhere:
        yield from _pass(instant, own, elsewhere)
    if jitter:
        seconds = jitter / timedelta(seconds=1)
        yield f"jitter +{seconds:.{1 if seconds >= 1 else 3}f} s"


def _pass(instant: datetime, zone: ZoneInfo, where: str) -> Iterator[str]:
    passes = passes_of(wall_of(instant, zone), zone)
    if len(passes) > 1:
        yield f"repeated hour{where}, {'first' if instant == passes[0] else 'second'} pass"


def _moved(core: Rule, instant: datetime) -> str:
    """The wall times, skipped by the clock, for which `core` fires at `instant`; empty if it shows its own."""
    if isinstance(core, WallInterval):
        meant = wall_of(core.anchor, core.zone)
        return "" if wall_of(instant, core.zone).time() == meant.time() else _clock(meant)
    if not isinstance(core, Crontab) or read_field(HOUR, core.hour).starred:
        return ""
    skipped = _skipped_before(instant, core.zone)
    if not skipped:
        return ""
    shown = wall_of(instant, core.zone).replace(tzinfo=UTC)
    # A clock in UTC shows every wall time, those too that clocks in the zone skip.
    found = list(fire_times(replace(core, zone=_UTC), shown - skipped - TICK, shown - TICK))
    if len(found) < 2:
        return _clock(found[0]) if found else ""
    return f"{_clock(found[0])} {'and' if len(found) == 2 else 'to'} {_clock(found[-1])}"


def _skipped_before(instant: datetime, zone: ZoneInfo) -> timedelta:
    """How much the clock skips at `instant`; zero nearly always."""
    change = wall_of(instant, zone) - wall_of(instant - TICK, zone) - TICK
    return max(change, timedelta(0))


def _clock(wall: datetime) -> str:
    return f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"


def _core(rule: Rule) -> Rule:
    while isinstance(rule, Bounded | Excluding):
        rule = rule.rule
    return rule


def _not_excluding(rule: Rule) -> Rule:
    if isinstance(rule, Excluding):
        return _not_excluding(rule.rule)
    return replace(rule, rule=_not_excluding(rule.rule)) if isinstance(rule, Bounded) else rule
