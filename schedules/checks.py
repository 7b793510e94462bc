"""What is wrong with the settings is said at the start, with an id and the remedy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, register

from schedules.conf import conf
from schedules.timing.misfire import MAX_WINDOW


@register("slotbeat")
def check_settings(**_kwargs: Any) -> list[CheckMessage]:
    """The settings of `schedules`."""
    return [*_check_redis(), *_check_times(), *_check_zone()]


def _check_redis() -> list[CheckMessage]:
    if conf().redis_url or getattr(settings, "DATABASE_URL", "") == "":
        return []
    return [
        Error(
            "SLOTBEAT_REDIS_URL is not set, while a database is.",
            hint="Guard and overlap marks live in Redis: set REDIS_URL, as in redis://host:6379/0.",
            id="schedules.E001",
        )
    ]


def _check_times() -> list[CheckMessage]:
    now = conf()
    messages: list[CheckMessage] = []
    if now.claim_seconds < 1:
        messages.append(
            Error(
                f"SLOTBEAT_CLAIM_SECONDS is {now.claim_seconds}: claims would run out while their slots are published.",
                hint="Set it to 1 or more; 3 is the default.",
                id="schedules.E002",
            )
        )
    if timedelta(seconds=now.confirm_seconds) <= MAX_WINDOW:
        messages.append(
            Error(
                f"SLOTBEAT_CONFIRM_SECONDS is {now.confirm_seconds}: a slot could be sent again in a late catch-up.",
                hint=f"Set it above {MAX_WINDOW.total_seconds():.0f}, the longest catch-up window.",
                id="schedules.E003",
            )
        )
    if now.beat_ttl_seconds <= 3 * now.longest_sleep_seconds:
        messages.append(
            checks.Warning(
                f"SLOTBEAT_BEAT_TTL_SECONDS is {now.beat_ttl_seconds}: a healthy beat could look dead.",
                hint="Set it above three times SLOTBEAT_LONGEST_SLEEP_SECONDS.",
                id="schedules.W001",
            )
        )
    return messages


def _check_zone() -> list[CheckMessage]:
    if settings.USE_TZ:
        return []
    return [
        Error(
            "USE_TZ is False: stored instants would be read in the wrong zone.",
            hint="Set USE_TZ = True; schedules may still be in any zone.",
            id="schedules.E004",
        )
    ]
