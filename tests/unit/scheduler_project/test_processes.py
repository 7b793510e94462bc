"""The project's processes: all named once, beats stopped first, everything within the promised 15 seconds."""

from __future__ import annotations

from itertools import groupby

from scheduler_project.supervisor.child import ChildSpec, Ending, describe
from scheduler_project.supervisor.processes import project_processes
from scheduler_project.supervisor.supervisor import closing_table

SERVER_SECONDS = 4.5
PROMISED_SECONDS = 15


def processes() -> list[ChildSpec]:
    return project_processes(web_port=8000, sandbox_port=8900)


def test_the_stack_is_complete() -> None:
    assert {spec.name for spec in processes()} == {"beat-1", "beat-2", "worker", "relay", "web", "sandbox"}


def test_beats_stop_before_anything_else() -> None:
    beats = [spec.stop_group for spec in processes() if spec.name.startswith("beat")]
    others = [spec.stop_group for spec in processes() if not spec.name.startswith("beat")]
    assert max(beats) < min(others)


def test_all_budgets_together_stay_within_the_promise() -> None:
    ordered = sorted(processes(), key=lambda spec: spec.stop_group)
    groups = groupby(ordered, key=lambda spec: spec.stop_group)
    slowest = sum(max(spec.stop_seconds for spec in members) for _, members in groups)
    assert slowest + SERVER_SECONDS <= PROMISED_SECONDS


def test_gunicorn_takes_whole_seconds_whatever_the_budget() -> None:
    (web,) = (s for s in project_processes(web_port=1, sandbox_port=2, drain_seconds=4.5) if s.name == "web")
    assert web.command[web.command.index("--graceful-timeout") + 1] == "4"


def test_only_a_zero_inside_the_budget_is_clean() -> None:
    assert Ending("a", 0, 1.0, killed=False, restarts=1).is_clean
    assert not Ending("a", 1, 1.0, killed=False, restarts=0).is_clean
    assert not Ending("a", 0, 9.0, killed=True, restarts=0).is_clean
    assert not Ending("a", None, 9.0, killed=False, restarts=0).is_clean


def test_the_closing_table_says_what_happened() -> None:
    table = closing_table(
        [Ending("web", 0, 0.34, killed=False, restarts=2), Ending("worker", -9, 7.0, killed=True, restarts=0)]
    )
    assert table.splitlines() == [
        "web     exit code   0    0.3 s  restarted 2x",
        "worker  exit code  -9    7.0 s  killed: it did not stop within its budget",
    ]


def test_exit_codes_are_described() -> None:
    assert [describe(code) for code in (0, 3, -9, None)] == [
        "exit code 0",
        "exit code 3",
        "signal SIGKILL",
        "still running",
    ]
