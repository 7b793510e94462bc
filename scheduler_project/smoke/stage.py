"""Runs the stack on a fresh data folder, kills a beat, stops everything, and has the verdict drawn up in between."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from scheduler_project.smoke.watch import Watch
from scheduler_project.supervisor.child import Ending
from scheduler_project.supervisor.output import PrefixedOutput
from scheduler_project.supervisor.signals import StopAsked, StopSignals
from scheduler_project.supervisor.stack import CHECKOUT, Stack

BEATS = ("beat-1", "beat-2")
_READY_SECONDS = 30.0
_QUIET_SECONDS = 30.0
_LOOK_SECONDS = 0.25


def play(seconds: float, output: TextIO, say: Callable[[str], None]) -> bool:
    """Runs for `seconds` with both beats up; whether every count is as it must be is returned.

    Raises EmbeddedServerError or CalledProcessError when the stack cannot be started, StopAsked on a signal.
    """
    folder = tempfile.TemporaryDirectory(prefix="slotbeat-smoke-", ignore_cleanup_errors=True)
    with folder as data_dir, StopSignals() as signals:
        stack = Stack(Path(data_dir), output=PrefixedOutput(output), signals=signals, usual_ports=False)
        try:
            stack.start()
            return _play(stack, signals, seconds, say)
        finally:
            stack.stop_processes()
            stack.stop_servers()


def _play(stack: Stack, signals: StopSignals, seconds: float, say: Callable[[str], None]) -> bool:
    watch = Watch(stack.environment)
    _wait_for("both beats and the worker to be up", signals, lambda: watch.is_up(len(BEATS)), _READY_SECONDS)
    began = _clock()
    say(f"smoke: all up at {began:%H:%M:%S}; running for {seconds:g} s")
    _pause(signals, seconds / 2)
    stack.supervisor.child(BEATS[0]).kill()
    say(f"smoke: {BEATS[0]} killed with SIGKILL")
    _pause(signals, seconds / 2)
    ended = _clock()
    endings = _stop_beats(stack)
    say("smoke: beats stopped; waiting for what is under way")
    _wait_for("queues and outbox to be empty", signals, watch.is_at_rest, _QUIET_SECONDS)
    watch.close()
    endings += [ending for ending in stack.stop_processes() if ending.name not in BEATS]
    clean = _tell_endings(endings, say)
    return _verify(stack, began, ended) and clean


def _stop_beats(stack: Stack) -> list[Ending]:
    beats = [stack.supervisor.child(name) for name in BEATS]
    for beat in beats:
        beat.ask_to_stop()
    return [beat.wait_for_end(beat.spec.stop_seconds) for beat in beats]


def _tell_endings(endings: list[Ending], say: Callable[[str], None]) -> bool:
    for ending in endings:
        say(f"smoke: {ending.name} ended with exit code {ending.exit_code} after {ending.seconds:.1f} s")
    return all(ending.is_clean for ending in endings)


def _verify(stack: Stack, began: datetime, ended: datetime) -> bool:
    command = [sys.executable, "-m", "scheduler_project.smoke.verify", began.isoformat(), ended.isoformat()]
    return subprocess.run(command, env=stack.environment, cwd=CHECKOUT, check=False).returncode == 0  # noqa: S603 our own command


def _wait_for(what: str, signals: StopSignals, condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        _pause(signals, _LOOK_SECONDS)


def _pause(signals: StopSignals, seconds: float) -> None:
    if signals.wait(seconds):
        raise StopAsked


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 the smoke test is an entry point
