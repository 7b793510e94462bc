"""What a person types as an instant, a time zone or a number, read for the commands or refused with the remedy."""

from __future__ import annotations

import difflib
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

from schedules.rules import zone_named
from schedules.timing.rule import InvalidRule


def add_fire_time_arguments(parser: ArgumentParser, *, zone_help: str, zone: ZoneInfo | None) -> None:
    """The options that every list of fire times has."""
    parser.add_argument("--count", type=count, default=10, help="how many to show")
    parser.add_argument("--after", type=instant, help="an ISO 8601 instant with its offset; now unless given")
    parser.add_argument("--zone", type=time_zone, default=zone, help=zone_help)
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON list")


def count(text: str) -> int:
    """A whole number above 0."""
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def instant(text: str) -> datetime:
    """An ISO 8601 instant with its offset, in UTC."""
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is not None:
            return read.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{text!r} is no instant: write it as in 2026-03-08T07:00:00Z") from error
    raise ArgumentTypeError(f"{text!r} has no offset: add Z for UTC, or one such as +01:00")


def time_zone(name: str) -> ZoneInfo:
    """A zone by its IANA name."""
    try:
        return zone_named(name)
    except InvalidRule as error:
        near = _nearest_zone(name)
        raise ArgumentTypeError(f"time zone {name!r} is not known here: {near}") from error


def _nearest_zone(name: str) -> str:
    zones = available_timezones()
    spelled = {zone.casefold(): zone for zone in zones} | {zone.rpartition("/")[2].casefold(): zone for zone in zones}
    near = difflib.get_close_matches(name.strip().replace(" ", "_").casefold(), sorted(spelled), n=1)
    return f"did you mean {spelled[near[0]]!r}?" if near else "take an IANA name such as Europe/Berlin"
