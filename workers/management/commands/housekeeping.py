"""`manage.py housekeeping`: deletes what is past its retention; scheduled hourly by the job `run_command`."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workers.conf import conf
from workers.housekeeping import BATCH_ROWS, purge


class Command(BaseCommand):
    """Thin: the work is done in workers.housekeeping."""

    help = "Deletes ended runs, finished slots, fan-outs and published events that are past their retention."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--batch-size", type=int, default=BATCH_ROWS, help="rows deleted in one transaction")

    def handle(self, *_args: Any, batch_size: int, **_options: Any) -> None:
        """Raises CommandError for a batch size below 1."""
        if batch_size < 1:
            raise CommandError(f"--batch-size is {batch_size}: set it to 1 or more")
        now = datetime.now(UTC)  # noqa: TID251 the command is an entry point
        purged = purge(now, conf(), batch=batch_size)
        self.stdout.write(
            f"deleted {purged.runs} runs, {purged.slots} slots, {purged.fan_outs} fan-outs, {purged.events} events"
        )
