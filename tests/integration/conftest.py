"""Integration tests run on real servers: a clean Redis database for each."""

from __future__ import annotations

import pytest

from schedules.redis import client


@pytest.fixture(autouse=True)
def clean_redis() -> None:
    """The database number belongs to this test process alone."""
    client().flushdb()
