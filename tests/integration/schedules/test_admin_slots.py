"""Slots are found by name, id, state and instant, and stay as they are."""

from __future__ import annotations

import pytest
from django.test import Client

from schedules.models import Slot, SlotState
from schedules.stamp import slot_id
from tests.support.admin_pages import add_url, get, list_url, row_url, sign_in
from tests.support.slot_rows import NOON, make_slots_of_one

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin_client(client: Client, db: None) -> Client:
    return sign_in(client)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 3),
        ("q=nightly", 3),
        (f"q={slot_id('nightly', NOON)}", 1),
        ("q=ightly", 0),
        ("state__exact=done", 3),
        ("state__exact=failed", 0),
        ("scheduled_for_from_0=2026-01-02&scheduled_for_from_1=12:00:00", 2),
        ("scheduled_for_to_0=2026-01-02", 2),
        ("schedule__exact=nightly", 3),
    ],
)
def test_slots_are_found(admin_client: Client, query: str, found: int) -> None:
    make_slots_of_one(3)
    page = get(admin_client, f"{list_url(Slot)}?{query}")
    assert page.text.count("data-row") == found


def test_a_mistyped_instant_is_no_error(admin_client: Client) -> None:
    assert admin_client.get(f"{list_url(Slot)}?scheduled_for_from_0=yesterday").status_code == 302


def test_a_slot_cannot_be_changed_by_post(admin_client: Client) -> None:
    make_slots_of_one(1)
    slot = Slot.objects.get()

    assert admin_client.post(row_url(slot), {"state": "failed"}).status_code == 403
    assert admin_client.post(add_url(Slot), {}).status_code == 403
    assert admin_client.post(f"{row_url(slot)[:-7]}delete/", {"post": "yes"}).status_code == 403
    assert Slot.objects.get().state == SlotState.DONE
