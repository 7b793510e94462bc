"""The supervisor keeps its children running, stops them in order and within their budgets, and hurries when told to."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from scheduler_project.embedded.identity import identify, read_pid_file
from scheduler_project.supervisor.child import Child
from scheduler_project.supervisor.signals import StopAsked, StopSignals
from scheduler_project.supervisor.supervisor import Supervisor
from tests.support.supervised import FAILING, OBEDIENT, STUBBORN, WITH_A_CHILD, Stage
from tests.support.waiting import wait_for


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def running(stage: Stage, *children: Child) -> Supervisor:
    supervisor = Supervisor(children)
    supervisor.start()
    for child in children:
        stage.wait_for_line(f"{child.spec.name} | ready")
    return supervisor


def test_children_end_cleanly_and_leave_no_pid_file(stage: Stage, tmp_path: Path) -> None:
    supervisor = running(stage, stage.child("web", OBEDIENT))
    identity = read_pid_file(tmp_path / "run" / "web.pid")
    (ending,) = supervisor.stop()
    assert ending.is_clean
    assert ending.seconds < 5
    assert identity is not None
    assert not identity.is_alive()
    assert not (tmp_path / "run" / "web.pid").exists()


def test_groups_stop_one_after_another(stage: Stage) -> None:
    late = stage.child("late", OBEDIENT, stop_group=2)
    early = stage.child("early", OBEDIENT, stop_group=1)
    endings = running(stage, late, early).stop()
    assert [ending.name for ending in endings] == ["early", "late"]
    assert stage.lines.index("early | leaves") < stage.lines.index("late | leaves")


def test_a_killed_child_is_started_again(stage: Stage) -> None:
    child = stage.child("beat", OBEDIENT)
    supervisor = running(stage, child)
    first = child.pid
    child.kill()
    stage.wait_for_line("beat | ended unexpectedly (signal SIGKILL); starts again in 1 s")
    stage.wait_for_line("beat | ready", times=2)
    assert child.pid not in (None, first)
    (ending,) = supervisor.stop()
    assert ending.is_clean
    assert ending.restarts == 1


def test_a_failing_child_is_started_ever_more_slowly_and_not_clean(stage: Stage) -> None:
    supervisor = Supervisor([stage.child("relay", FAILING)])
    supervisor.start()
    stage.wait_for_line("relay | ended unexpectedly (exit code 3); starts again in 1 s")
    stage.wait_for_line("relay | ended unexpectedly (exit code 3); starts again in 2 s")
    (ending,) = supervisor.stop()
    assert (ending.exit_code, ending.is_clean) == (3, False)
    assert ending.seconds < 1
    assert "relay | no such luck" in stage.lines


def test_a_budget_overrun_is_killed_and_not_clean(stage: Stage) -> None:
    stubborn = stage.child("worker", STUBBORN, stop_seconds=0.3)
    endings = running(stage, stubborn, stage.child("web", OBEDIENT)).stop()
    worker, web = endings
    assert (worker.exit_code, worker.killed, worker.is_clean) == (-signal.SIGKILL, True, False)
    assert 0.3 <= worker.seconds < 3
    assert web.is_clean


def test_what_a_dead_child_had_started_ends_with_it(stage: Stage) -> None:
    child = stage.child("worker", WITH_A_CHILD)
    supervisor = Supervisor([child])
    supervisor.start()
    line = wait_for(lambda: next(iter(stage.lines), None), what="the line with the inner process id")
    inner = identify(int(line.split()[-1]))
    assert inner is not None
    child.kill()
    wait_for(lambda: not inner.is_alive(), what="the inner process to end")
    supervisor.stop()


def test_a_program_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    elsewhere = Stage(tmp_path / "missing")
    supervisor = Supervisor([elsewhere.child("web", OBEDIENT)])
    supervisor.start()
    (line,) = wait_for(lambda: elsewhere.lines, what="a line about the missing folder")
    (ending,) = supervisor.stop()
    assert line.startswith("web | cannot be started: ")
    assert (ending.exit_code, ending.is_clean) == (None, False)


def test_a_second_signal_kills_at_once(stage: Stage) -> None:
    supervisor = running(
        stage, stage.child("worker", STUBBORN, stop_seconds=60), stage.child("web", OBEDIENT, stop_group=2)
    )

    def interrupt_again() -> None:
        stage.wait_for_line("worker | stays")
        os.kill(os.getpid(), signal.SIGINT)

    with StopSignals() as signals:
        signals.on_second = supervisor.kill_all
        os.kill(os.getpid(), signal.SIGINT)
        assert signals.wait(5)
        impatient = threading.Thread(target=interrupt_again)
        impatient.start()
        endings = supervisor.stop()
        impatient.join()
    assert endings[0].exit_code == -signal.SIGKILL
    assert endings[0].seconds < 10
    assert all(not ending.is_clean for ending in endings)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_first_signal_is_only_noted(number: signal.Signals) -> None:
    with StopSignals() as signals:
        assert not signals.wait(0)
        signals.check()
        os.kill(os.getpid(), number)
        assert signals.wait(5)
        with pytest.raises(StopAsked):
            signals.check()
