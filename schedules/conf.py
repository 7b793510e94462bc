"""The settings of `schedules` and their defaults; a project overrides them in its Django settings."""

from __future__ import annotations

from dataclasses import dataclass, fields

from django.conf import settings

PREFIX = "SLOTBEAT_"


@dataclass(frozen=True, slots=True)
class Conf:
    """Each field is the setting SLOTBEAT_<FIELD>; the unit stands in the name."""

    redis_url: str = ""  # guard and overlap marks; never taken from the broker in silence
    key_prefix: str = "slotbeat"  # of every key in Redis
    claim_seconds: float = 3.0  # the life of a claim: a killed beat's slots are retaken after it
    confirm_seconds: float = 2 * 86_400  # the life of a confirmed slot: longer than any catch-up window and skew
    chunk_size: int = 500  # slots handed over in one round trip
    refresh_seconds: float = 1.0  # how soon an edit counts
    longest_sleep_seconds: float = 1.0  # between two looks at the plan
    on_time_seconds: float = 5.0  # how late a fire time may be and still not count as missed
    beat_ttl_seconds: float = 15.0  # a beat that has not reported for so long is not alive
    extra_tasks: tuple[str, ...] = ()  # tasks of other code that schedules may name; `*` for any
    ledger_buffer: int = 50_000  # rows kept in memory while PostgreSQL is away


def conf() -> Conf:
    """The settings as they are now."""
    found = {
        field.name: getattr(settings, PREFIX + field.name.upper())
        for field in fields(Conf)
        if hasattr(settings, PREFIX + field.name.upper())
    }
    return Conf(**found)
