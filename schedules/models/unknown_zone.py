"""A crontab row whose zone is gone from the zone data is read all the same, so that it can be shown and mended.

The row's own field raises while a query's rows are read, and takes every other row of the query with it.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django_celery_beat.models import CrontabSchedule

# A compiled zone in its oldest form: six counts (one kind of local time, four letters), then that kind: UTC.
_UTC = b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"


class UnknownZone(ZoneInfo):
    """Keeps the name as it is stored. It counts as UTC; whoever makes a rule of it must look the name up."""


def tolerate_unknown_zones() -> None:
    """From now on such rows load, with an UnknownZone."""
    CrontabSchedule._meta.get_field("timezone").from_db_value = _from_db


def _from_db(name: str | None, *_args: Any) -> ZoneInfo | None:
    return None if not name else _zone(name)


@lru_cache(maxsize=1024)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UnknownZone.from_file(BytesIO(_UTC), key=name)
