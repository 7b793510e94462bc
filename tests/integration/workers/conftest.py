"""Threads that outlive a test (heartbeats) keep a connection: the test database can go once they are ended."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.support.workers import end_other_backends


@pytest.fixture(scope="session", autouse=True)
def no_connection_is_left(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Generator[None]:
    """Runs before the test database is dropped."""
    yield
    with django_db_blocker.unblock():
        end_other_backends()
        connection.close()
