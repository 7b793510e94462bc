"""The health pages tell what does not answer."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client, override_settings

CLOSED_PORT = "redis://127.0.0.1:1/0"


def test_livez_asks_nobody(client: Client) -> None:
    response = client.get("/livez")

    assert (response.status_code, response.json()) == (200, {"live": True})


@pytest.mark.django_db
def test_readyz_is_well_while_both_servers_answer(client: Client) -> None:
    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (200, {"ready": True, "postgresql": "ok", "redis": "ok"})


@pytest.mark.django_db
def test_readyz_names_the_server_that_is_away_and_no_secret(client: Client) -> None:
    with override_settings(SLOTBEAT_REDIS_URL=CLOSED_PORT):
        response = client.get("/readyz")

    said: dict[str, Any] = response.json()
    assert response.status_code == 503
    assert said == {"ready": False, "postgresql": "ok", "redis": "ConnectionError: see the log of this process"}


@pytest.mark.django_db
def test_the_root_leads_to_the_admin(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/admin/"
