"""Reads admin pages as a test wants them: their status, their size, their number of queries, their messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse


@dataclass(frozen=True)
class Page:
    """An answered GET."""

    text: str
    size: int
    queries: int


def sign_in(client: Client) -> Client:
    """The client of a superuser; without a password there is nothing to hash."""
    client.force_login(User.objects.create(username="admin", is_staff=True, is_superuser=True))
    return client


def get(client: Client, url: str) -> Page:
    """The page at `url`, which must answer 200."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(url)
    assert response.status_code == 200, f"{url} answered {response.status_code}"
    return Page(response.content.decode(), len(response.content), len(queries))


def list_url(model: Any) -> str:
    """The list of a model."""
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")


def add_url(model: Any) -> str:
    """The form of a new row."""
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_add")


def row_url(row: Any) -> str:
    """The page of one row."""
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])


def run_action(client: Client, action: str, rows: list[Any]) -> list[str]:
    """Runs a list's action on rows; returns the messages it leaves."""
    selected = {"action": action, "_selected_action": [row.pk for row in rows]}
    response = client.post(list_url(rows[0]), selected, follow=True)
    assert response.status_code == 200, f"{action} answered {response.status_code}"
    return [str(message) for message in response.context["messages"]]
