"""What a run was like: QUICK, and the machine it ran on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bench.circumstances import circumstances, quick


@pytest.mark.parametrize(
    ("environ", "expected"), [({}, False), ({"QUICK": ""}, False), ({"QUICK": "0"}, False), ({"QUICK": "1"}, True)]
)
def test_quick_is_asked_for_by_the_environment(environ: dict[str, str], expected: bool) -> None:
    assert quick(environ) is expected


def test_the_circumstances_name_time_machine_and_packages() -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    found = circumstances(at, rounds=5, in_a_hurry=True, packages={"celery": "5.7.0"})
    assert (found["made_at"], found["rounds"], found["quick"]) == ("2026-01-02T03:04:05+00:00", 5, True)
    assert found["packages"] == {"celery": "5.7.0"}
    assert found["cores"] >= 1
    assert found["processor"]
