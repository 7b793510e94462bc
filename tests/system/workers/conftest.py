"""Real processes for each test, on an emptied Redis."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from schedules.redis import client
from tests.support.processes import Processes


@pytest.fixture(autouse=True)
def clean_redis() -> None:
    """The database number belongs to this test process alone."""
    client().flushdb()


@pytest.fixture
def processes(tmp_path: Path, transactional_db: None) -> Generator[Processes]:
    """Ended before the database is emptied; their output is shown when the test fails."""
    started = Processes(tmp_path)
    yield started
    started.kill_all()
    print(started.output())  # noqa: T201 pytest shows it beside a failure
