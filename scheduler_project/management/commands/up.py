"""`python manage.py up`: the whole project on this machine under one supervisor, until Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import time

from django.core.management.base import BaseCommand, CommandError

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.environment import data_dir
from scheduler_project.supervisor.lock import AlreadyRunning, DataFolderLock
from scheduler_project.supervisor.output import PrefixedOutput
from scheduler_project.supervisor.prepare import ADMIN_NAME, admin_password_path
from scheduler_project.supervisor.signals import StopAsked, StopSignals
from scheduler_project.supervisor.stack import Stack
from scheduler_project.supervisor.supervisor import closing_table


class Command(BaseCommand):
    """Starts servers, beats, worker, relay, web process and sandbox; exits 0 if all of them ended cleanly."""

    help = "Run the whole project here: embedded servers, two beats, a worker, a relay, the web process, the sandbox."
    # The checks would ask a database that this very command has yet to start.
    requires_system_checks: list[str] = []

    def handle(self, *args: object, **options: object) -> None:
        """Run until a signal asks to stop."""
        folder = data_dir()
        try:
            with DataFolderLock(folder), StopSignals() as signals:
                stack = Stack(folder, output=PrefixedOutput(sys.stdout), signals=signals)
                clean = self._run(stack, signals)
        except AlreadyRunning as error:
            raise CommandError(str(error)) from error
        if not clean:
            sys.exit(1)

    def _run(self, stack: Stack, signals: StopSignals) -> bool:
        began = time.monotonic()
        self.stdout.write(f"Slotbeat starts; its data lies in {stack.data_dir}")
        started = False
        try:
            stack.start()
            started = True
            self.stdout.write(_where_to_look(stack, time.monotonic() - began))
            signals.wait()
        except StopAsked:
            self.stdout.write("Stopped while starting.")
            started = True
        except EmbeddedServerError as error:
            self.stderr.write(str(error))
        except subprocess.CalledProcessError:
            self.stderr.write("The database could not be made ready: the lines above say why.")
        finally:
            ended_clean = self._stop(stack)
        return started and ended_clean

    def _stop(self, stack: Stack) -> bool:
        began = time.monotonic()
        self.stdout.write("Stopping; a second Ctrl-C kills at once.")
        endings = stack.stop_processes()
        stack.stop_servers()
        if endings:
            self.stdout.write(closing_table(endings))
        self.stdout.write(f"Slotbeat has stopped after {time.monotonic() - began:.1f} s; the data stays.")
        return all(ending.is_clean for ending in endings)


def _where_to_look(stack: Stack, seconds: float) -> str:
    password = admin_password_path(stack.data_dir)
    secret = password.read_text(encoding="utf-8").strip() if password.exists() else "the one you set"
    return "\n".join(
        [
            "",
            f"Slotbeat runs (started in {seconds:.1f} s)",
            f"  admin     {stack.web_url}/admin/   user {ADMIN_NAME}, password {secret}",
            f"  health    {stack.web_url}/readyz",
            "  status    python manage.py status",
            f"  data      {stack.data_dir}",
            "  stop      Ctrl-C",
            "",
        ]
    )
