"""From what a clock on the wall shows to instants, around the hours that clocks skip or repeat. Pure.

A wall time is a naive datetime: what people in the zone read. Instants are aware and UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_SECOND = timedelta(seconds=1)


def wall_of(instant: datetime, zone: ZoneInfo) -> datetime:
    """What the clock shows at `instant`; on both passes of a repeated hour the same."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def passes_of(wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """When the clock shows `wall`, in order: once, twice where an hour repeats, never in a gap."""
    first = wall.replace(tzinfo=zone)
    second = first.replace(fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    if before == after:
        return (first.astimezone(UTC),)
    if _offset(before) > _offset(after):
        return first.astimezone(UTC), second.astimezone(UTC)
    return ()


def once_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """The one instant that stands for a fixed wall time: the first pass, or the first instant after the gap it lies in.

    These are Debian cron's rules for jobs at a fixed hour.
    """
    passes = passes_of(wall, zone)
    return passes[0] if passes else end_of_gap(wall, zone)


def end_of_gap(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant after the gap in which `wall` lies."""
    shown = wall.replace(tzinfo=zone)
    return _change_between(shown.replace(fold=1).astimezone(UTC), shown.astimezone(UTC), zone)


def gap_around(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The wall times that clocks skip around `wall`: the first of them, and the first that is shown again."""
    change = end_of_gap(wall, zone)
    before, after = _offset_at(change - _SECOND, zone), _offset_at(change, zone)
    return wall_of(change, zone) - (after - before), wall_of(change, zone)


def fold_around(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The wall times that clocks show twice around `wall`: the first of them, and the first that comes once again."""
    first, second = passes_of(wall, zone)
    change = _change_between(first, second, zone)
    before, after = _offset_at(first, zone), _offset_at(second, zone)
    return wall_of(change, zone), wall_of(change, zone) + (before - after)


def is_plain(wall: datetime, zone: ZoneInfo) -> bool:
    """Whether the clock shows `wall` exactly once."""
    shown = wall.replace(tzinfo=zone)
    return shown.utcoffset() == shown.replace(fold=1).utcoffset()


def _change_between(early: datetime, late: datetime, zone: ZoneInfo) -> datetime:
    """The instant of the one change in (early, late]; changes happen at whole seconds."""
    new_offset = _offset_at(late, zone)
    low, high = early.replace(microsecond=0), late.replace(microsecond=0)
    while high - low > _SECOND:
        middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
        low, high = (low, middle) if _offset_at(middle, zone) == new_offset else (middle, high)
    return high


def _offset_at(instant: datetime, zone: ZoneInfo) -> timedelta:
    return _offset(instant.astimezone(zone).utcoffset())


def _offset(found: timedelta | None) -> timedelta:
    return found or timedelta(0)
