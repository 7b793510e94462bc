"""Settings override defaults, one by one, as they are at the moment of asking."""

from __future__ import annotations

from pytest_django import Settings

from schedules.conf import Conf, conf
from schedules.timing.misfire import MAX_WINDOW


def test_what_is_not_set_has_its_default(settings: Settings) -> None:
    settings.SLOTBEAT_REDIS_URL = ""
    assert conf() == Conf()


def test_a_setting_counts_at_once(settings: Settings) -> None:
    settings.SLOTBEAT_CLAIM_SECONDS = 7.5
    assert conf().claim_seconds == 7.5
    settings.SLOTBEAT_EXTRA_TASKS = ("billing.close",)
    assert conf().extra_tasks == ("billing.close",)


def test_settings_of_others_are_left_alone(settings: Settings) -> None:
    settings.SLOTBEAT_DRAIN_SECONDS = 1
    settings.CLAIM_SECONDS = 9
    assert conf().claim_seconds == Conf().claim_seconds


def test_a_confirmed_slot_outlives_every_catch_up_window() -> None:
    assert Conf().confirm_seconds > MAX_WINDOW.total_seconds()
