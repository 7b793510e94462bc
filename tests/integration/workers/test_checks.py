"""What is wrong with the settings is said at the start, with an id and the remedy."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks

from workers.checks import check_settings


def test_the_settings_of_the_project_are_sound() -> None:
    assert check_settings() == []


@pytest.mark.parametrize(
    ("name", "value", "number", "hint"),
    [
        ("SLOTBEAT_OUTBOX_SINK", "kafak", "workers.E001", "kafka or redis"),
        ("SLOTBEAT_DRAIN_SECONDS", 0, "workers.E002", "between 1 and 55"),
        ("SLOTBEAT_DRAIN_SECONDS", -1, "workers.E002", "between 1 and 55"),
        ("SLOTBEAT_DRAIN_SECONDS", 60, "workers.E002", "between 1 and 55"),
        ("SLOTBEAT_DRAIN_SECONDS", 58, "workers.E002", "between 1 and 55"),
    ],
)
def test_a_bad_setting_is_named_with_the_remedy(settings: Any, name: str, value: Any, number: str, hint: str) -> None:
    setattr(settings, name, value)
    (message,) = [found for found in run_checks(tags=["slotbeat"]) if found.id == number]
    assert str(value) in message.msg
    assert name in message.msg
    assert message.hint is not None
    assert hint in message.hint


@pytest.mark.parametrize("value", [1, 45, 55])
def test_a_drain_inside_the_pods_time_passes(settings: Any, value: float) -> None:
    settings.SLOTBEAT_DRAIN_SECONDS = value
    assert check_settings() == []
