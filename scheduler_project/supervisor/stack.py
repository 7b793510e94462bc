"""The whole project on one data folder: servers, a prepared database, and the processes that use them.

`up` runs one; a smoke test runs another on free ports, kills a child by name and reads how each ended.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scheduler_project.embedded.address_book import remove_addresses, write_addresses
from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.leftovers import stop_leftovers
from scheduler_project.embedded.ports import LOOPBACK, answers, pick_port
from scheduler_project.embedded.process import pid_path
from scheduler_project.embedded.servers import EmbeddedServers
from scheduler_project.supervisor.child import Child, Ending
from scheduler_project.supervisor.output import PrefixedOutput
from scheduler_project.supervisor.prepare import step_line
from scheduler_project.supervisor.processes import DRAIN_SECONDS, project_processes
from scheduler_project.supervisor.signals import StopAsked, StopSignals
from scheduler_project.supervisor.supervisor import Supervisor

CHECKOUT = Path(__file__).resolve().parents[2]
_WEB_PORT, _SANDBOX_PORT = 8000, 8900
_WEB_SECONDS = 30.0
_SERVER_VARIABLES = ("DATABASE_URL", "REDIS_URL", "KAFKA_BOOTSTRAP_SERVERS")


class Stack:
    """Starts in the order servers, database, processes; stops in the reverse one."""

    def __init__(
        self,
        data_dir: Path,
        *,
        output: PrefixedOutput,
        signals: StopSignals,
        usual_ports: bool = True,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.data_dir = data_dir.resolve()
        self._output, self._signals, self._environ = output, signals, dict(environ)
        self._given = {name: environ[name] for name in _SERVER_VARIABLES if environ.get(name)}
        self._servers = EmbeddedServers(self.data_dir, served=self._given, usual_ports=usual_ports)
        self._usual_ports = usual_ports
        self._web_port = self._sandbox_port = 0
        self.addresses: dict[str, str] = {}
        self.supervisor = Supervisor([])

    @property
    def web_url(self) -> str:
        """Where the web process answers."""
        return f"http://{LOOPBACK}:{self._web_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What every process of the stack sees."""
        drain = self._environ.get("SLOTBEAT_DRAIN_SECONDS", f"{DRAIN_SECONDS:g}")
        own = {"SLOTBEAT_DATA_DIR": str(self.data_dir), "SLOTBEAT_DRAIN_SECONDS": drain, "PYTHONUNBUFFERED": "1"}
        return {**self._environ, **own, **self.addresses}

    def start(self) -> None:
        """Start everything and return when the web process answers.

        Raises StopAsked, EmbeddedServerError, or CalledProcessError when the database could not be made ready; the
        caller stops what has started.
        """
        self._clear_leftovers()
        # Not earlier: the leftovers may have held the usual ports.
        self._web_port = pick_port(_WEB_PORT if self._usual_ports else None)
        self._sandbox_port = pick_port(_SANDBOX_PORT if self._usual_ports else None)
        with self._step("servers started"):
            self._start_servers()
        self._prepare_database()
        with self._step("processes started"):
            self._start_processes()

    def stop_processes(self) -> list[Ending]:
        """Stop the processes and leave the servers running; says how each ended."""
        self._signals.on_second = self.supervisor.kill_all
        return self.supervisor.stop()

    def stop_servers(self) -> None:
        """Stop the servers and take their addresses out of the address book."""
        with self._step("servers stopped"):
            remove_addresses(self.data_dir)
            self._servers.stop()

    def _clear_leftovers(self) -> None:
        for name in stop_leftovers(self.data_dir):
            self._output.plain(f"  {name} was left over from a killed run and has been stopped")

    def _start_servers(self) -> None:
        sandbox = {"SLOTBEAT_FEED_BASE_URL": f"http://{LOOPBACK}:{self._sandbox_port}"}
        self.addresses = {**self._given, **self._servers.start(), **sandbox}
        write_addresses(self.data_dir, self.addresses)
        self._signals.check()

    def _prepare_database(self) -> None:
        command = [sys.executable, "-m", "scheduler_project.supervisor.prepare", str(self.data_dir)]
        process = subprocess.Popen(command, env=self.environment, cwd=CHECKOUT, start_new_session=True)  # noqa: S603 our own command
        while process.poll() is None:
            if self._signals.wait(0.02):
                process.terminate()
                process.wait()
        self._signals.check()
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)

    def _start_processes(self) -> None:
        environment = self.environment
        drain = float(environment["SLOTBEAT_DRAIN_SECONDS"])
        specs = project_processes(web_port=self._web_port, sandbox_port=self._sandbox_port, drain_seconds=drain)
        self._output.expect(spec.name for spec in specs)
        self.supervisor = Supervisor(
            [
                Child(
                    spec,
                    env=environment,
                    cwd=CHECKOUT,
                    output=self._output,
                    pid_path=pid_path(self.data_dir, spec.name),
                )
                for spec in specs
            ]
        )
        self.supervisor.start()
        self._wait_for_web()

    def _wait_for_web(self) -> None:
        deadline = time.monotonic() + _WEB_SECONDS
        while not answers(self._web_port):
            if self._signals.wait(0.05):
                raise StopAsked
            if time.monotonic() > deadline:
                raise EmbeddedServerError(
                    f"The web process did not answer on {self.web_url} within {_WEB_SECONDS:g} s: see its lines above."
                )

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._output.plain(step_line(what, time.monotonic() - began))
