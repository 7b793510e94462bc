"""What a killed starter leaves behind is found again, and stopped by the next start or by its guard."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from scheduler_project.embedded.identity import ProcessIdentity, read_pid_file
from scheduler_project.embedded.leftovers import stop_leftovers
from scheduler_project.embedded.servers import SERVER_NAMES, EmbeddedServers
from tests.support.waiting import wait_for

STARTER = """
import sys
from pathlib import Path
import psycopg
from scheduler_project.embedded.{module} import {name}
servers = {name}({argument})
urls = servers.start()
with psycopg.connect(urls["DATABASE_URL"]) as database:
    database.execute("CREATE TABLE kept AS SELECT 'here' AS word")
print(getattr(servers, "data_dir", ""), flush=True)
sys.stdin.read()
"""


def started_and_killed(module: str, name: str, argument: str = "") -> str:
    """Run a starter until its servers answer, kill it with SIGKILL, and return the line it printed."""
    script = STARTER.format(module=module, name=name, argument=argument)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        line = starter.stdout.readline().strip()
        starter.kill()
    return line


def servers_of(data_dir: Path) -> list[ProcessIdentity]:
    found = [read_pid_file(data_dir / "run" / f"{name}.pid") for name in SERVER_NAMES]
    return [identity for identity in found if identity is not None]


def test_the_next_start_stops_the_leftovers_and_finds_their_data(tmp_path: Path) -> None:
    started_and_killed("servers", "EmbeddedServers", f"Path({str(tmp_path)!r}), usual_ports=False")
    leftovers = servers_of(tmp_path)
    assert [identity.is_alive() for identity in leftovers] == [True] * 3
    with EmbeddedServers(tmp_path, usual_ports=False) as urls, psycopg.connect(urls["DATABASE_URL"]) as database:
        assert [identity.is_alive() for identity in leftovers] == [False] * 3
        assert database.execute("SELECT word FROM kept").fetchone() == ("here",)


def test_leftovers_are_named_and_strangers_spared(tmp_path: Path) -> None:
    started_and_killed("servers", "EmbeddedServers", f"Path({str(tmp_path)!r}), usual_ports=False")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as stranger:
        (tmp_path / "run" / "worker.pid").write_text(json.dumps({"pid": stranger.pid, "start_mark": "earlier"}))
        assert sorted(stop_leftovers(tmp_path)) == sorted(SERVER_NAMES)
        assert stranger.poll() is None
    assert stop_leftovers(tmp_path) == []


def test_the_guard_clears_up_after_a_killed_run() -> None:
    data_dir = Path(started_and_killed("throw_away", "ThrowAwayServers"))
    wait_for(lambda: not data_dir.exists(), what=f"the guard to delete {data_dir}")
    assert servers_of(data_dir) == []


@pytest.mark.parametrize(("code", "expected"), [("0", 0), ("7", 7)])
def test_the_command_line_passes_the_exit_code_on(code: str, expected: int) -> None:
    script = (
        f"import os, sys; print(os.environ['DATABASE_URL'], os.environ['KAFKA_BOOTSTRAP_SERVERS']); sys.exit({code})"
    )
    command = [sys.executable, "-m", "scheduler_project.embedded", "run", "--", sys.executable, "-c", script]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == expected
    assert answer.stdout.startswith("postgresql://postgres@")


def test_the_command_line_keeps_a_named_folder_and_explains_a_missing_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scheduler_project.embedded", "run", "--data-dir", str(tmp_path)]
    answer = subprocess.run([*command, "--", "no-such-command"], capture_output=True, text=True, check=False)
    assert answer.returncode == 127
    assert "'no-such-command' cannot be started" in answer.stderr
    assert (tmp_path / "postgres" / "PG_VERSION").exists()
