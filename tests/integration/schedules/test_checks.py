"""Each check is silent on sound settings and fires, with its id and a remedy, on the setting it is about."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from schedules.conf import Conf
from schedules.timing.misfire import MAX_WINDOW


def _found() -> list[str]:
    return [
        message.id or "" for message in run_checks(tags=["slotbeat"]) if (message.id or "").startswith("schedules.")
    ]


def test_the_defaults_are_sound() -> None:
    assert _found() == []


@pytest.mark.parametrize(
    ("identity", "name", "value"),
    [
        ("schedules.E001", "SLOTBEAT_REDIS_URL", ""),
        ("schedules.E002", "SLOTBEAT_CLAIM_SECONDS", 0.9),
        ("schedules.E003", "SLOTBEAT_CONFIRM_SECONDS", MAX_WINDOW.total_seconds()),
        ("schedules.W001", "SLOTBEAT_BEAT_TTL_SECONDS", 3 * Conf().longest_sleep_seconds),
        ("schedules.E004", "USE_TZ", False),
    ],
)
def test_a_check_fires_on_its_setting_alone(settings: Settings, identity: str, name: str, value: Any) -> None:
    setattr(settings, name, value)
    assert _found() == [identity]
    (message,) = (message for message in run_checks(tags=["slotbeat"]) if message.id == identity)
    assert message.hint
    assert name in message.msg


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLOTBEAT_CLAIM_SECONDS", 1),
        ("SLOTBEAT_CONFIRM_SECONDS", MAX_WINDOW.total_seconds() + 1),
        ("SLOTBEAT_BEAT_TTL_SECONDS", 3 * Conf().longest_sleep_seconds + 0.1),
    ],
)
def test_a_value_just_inside_is_sound(settings: Settings, name: str, value: float) -> None:
    setattr(settings, name, value)
    assert _found() == []


def test_a_development_machine_without_any_server_is_not_told_about_redis(settings: Settings) -> None:
    settings.DATABASE_URL = settings.SLOTBEAT_REDIS_URL = ""
    assert _found() == []
