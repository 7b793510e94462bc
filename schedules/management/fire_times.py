"""Fire times as the commands print them: a line each for people, one JSON list for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from zoneinfo import ZoneInfo

from schedules.registry.outlook import Forecast
from schedules.timing.preview import FireTime


def as_json(forecast: Forecast) -> str:
    """A list of objects with `utc`, `local` and `note`."""
    rows = [
        {
            "utc": each.instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z",
            "local": each.instant.astimezone(forecast.zone).isoformat(),
            "note": each.note,
        }
        for each in forecast.fire_times
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2)


def as_lines(forecast: Forecast) -> Iterator[str]:
    """The message if there is one, then the fire times: marked `*` where there is a note, `x` where none goes."""
    if forecast.message:
        yield forecast.message
    for each in forecast.fire_times:
        yield _line(each, forecast.zone)


def _line(each: FireTime, zone: ZoneInfo) -> str:
    mark = " " if not each.note else "*" if each.fires else "x"
    utc, local = each.instant.astimezone(UTC), each.instant.astimezone(zone)
    shown = f"{utc:%Y-%m-%d %H:%M:%S}.{utc.microsecond // 1000:03} UTC   {local:%a %Y-%m-%d %H:%M:%S %z} {zone.key}"
    return f"{mark} {shown}   {each.note}".rstrip()
