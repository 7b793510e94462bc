"""`manage.py smoke`: the real stack for half a minute, a killed beat, and a count of everything that came out."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.smoke.stage import play
from scheduler_project.supervisor.signals import StopAsked

_LAST_LINES = 100


class Command(BaseCommand):
    """The last line is `smoke: ok ...` or `smoke: FAILED ...`, and the exit code says the same."""

    help = (
        "Run the whole stack for half a minute on a fresh data folder, kill a beat on the way, and verify the counts."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--seconds", type=float, default=24.0, help="how long both beats run")
        parser.add_argument("--logs", action="store_true", help="show the lines of every process")

    def handle(self, *_args: Any, seconds: float, logs: bool, **_options: Any) -> None:
        """Plays and judges."""
        began = time.monotonic()
        kept = io.StringIO()
        why = "a count above is not as it must be"
        try:
            well = play(seconds, sys.stdout if logs else kept, self.stdout.write)
        except (EmbeddedServerError, subprocess.CalledProcessError, TimeoutError) as error:
            well, why = False, str(error)
        except StopAsked:
            well, why = False, "stopped by a signal"
        took = f"{time.monotonic() - began:.0f} s"
        if not well:
            self.stdout.write("\n".join(kept.getvalue().splitlines()[-_LAST_LINES:]))
        self.stdout.write(f"smoke: ok in {took}" if well else f"smoke: FAILED after {took}: {why}")
        sys.exit(0 if well else 1)
