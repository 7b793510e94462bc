"""Where clocks change: the zones that time rules are tested in, and their changes of 2025 to 2027 in the zone data."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.support.rules import utc

# Changes of an hour, of half of one and of two; at and before midnight; around Ramadan; odd offsets; no change at all.
ZONES = (
    *("Africa/Cairo", "Africa/Casablanca", "America/Asuncion", "America/Godthab", "America/Havana", "America/New_York"),
    *("America/Santiago", "America/Sao_Paulo", "America/St_Johns", "Antarctica/Troll", "Asia/Beirut", "Asia/Jerusalem"),
    *("Asia/Kathmandu", "Asia/Kolkata", "Asia/Tehran", "Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe"),
    *("Europe/Berlin", "Europe/Chisinau", "Europe/Dublin", "Europe/Helsinki", "Europe/London", "Europe/Moscow"),
    *("Europe/Paris", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "UTC"),
)
FIRST, LAST = utc("2025-01-01"), utc("2028-01-01")
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)


class Change(NamedTuple):
    """The clocks of `zone` jump at the instant `at`, on (a gap) or back (a fold) by `shift`."""

    zone: str
    at: datetime
    shift: timedelta


@lru_cache
def changes_of(zone: str) -> tuple[Change, ...]:
    """Every change of the three years, found by a walk from day to day."""
    place, found, instant = ZoneInfo(zone), [], FIRST
    while instant < LAST:
        shift = offset(instant + _DAY, place) - offset(instant, place)
        if shift:
            at = instant
            while offset(at, place) == offset(instant, place):
                at += _MINUTE
            found.append(Change(zone, at, shift))
        instant += _DAY
    return tuple(found)


def offset(instant: datetime, zone: ZoneInfo) -> timedelta:
    """By how much the zone's clocks are ahead of UTC."""
    ahead = instant.astimezone(zone).utcoffset()
    assert ahead is not None
    return ahead


CHANGING = tuple(zone for zone in ZONES if changes_of(zone))
"""The zones of which clocks change in these years."""
