"""A pid file names one process for ever, not whoever has its pid now."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from scheduler_project.embedded.identity import ProcessIdentity, identify, read_pid_file, write_pid_file
from scheduler_project.embedded.process import stop_leftover
from tests.support.waiting import wait_for


def test_a_pid_file_round_trip_finds_the_living_process(tmp_path: Path) -> None:
    write_pid_file(tmp_path / "run" / "me.pid", os.getpid())
    identity = read_pid_file(tmp_path / "run" / "me.pid")
    assert identity is not None
    assert identity == identify(os.getpid())
    assert identity.is_alive()


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        identity = identify(process.pid)
        assert identity is not None
        assert process.stdin is not None
        process.stdin.close()
        wait_for(lambda: not identity.is_alive(), what="the unreaped process to count as ended")


def test_a_later_process_with_the_same_pid_is_somebody_else() -> None:
    assert not ProcessIdentity(os.getpid(), "another start").is_alive()


def test_unreadable_pid_files_name_nobody(tmp_path: Path) -> None:
    path = tmp_path / "x.pid"
    assert read_pid_file(path) is None
    for content in ("", "12", "[]", '{"pid": "x", "start_mark": "1"}'):
        path.write_text(content)
        assert read_pid_file(path) is None


def test_somebody_elses_process_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "valkey.pid"
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as stranger:
        path.write_text(json.dumps({"pid": stranger.pid, "start_mark": "an earlier process"}))
        assert not stop_leftover(path, signal.SIGTERM, 1)
        assert stranger.poll() is None
    assert not path.exists()
