"""`run_command`: runs a management command that SLOTBEAT_RUN_COMMANDS allows; its output goes to the log."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence

from django.core.management import call_command, get_commands

from workers.conf import conf
from workers.jobs.base import Run, job

logger = logging.getLogger(__name__)

_MOST_CHARACTERS = 20_000


class CommandFailed(RuntimeError):
    """The command ended with an exit code other than 0."""

    permanent = False


def check(command: str, args: Sequence[str | int | float] | None = None) -> None:
    """Raises ValueError for a command that is not allowed or not there, and for arguments that are no list of words."""
    allowed = conf().run_commands
    if command not in allowed:
        raise ValueError(
            f"command {command!r} is not allowed: add it to SLOTBEAT_RUN_COMMANDS (now {', '.join(allowed) or 'empty'})"
        )
    if command not in get_commands():
        raise ValueError(f"there is no management command {command!r}: `manage.py help` lists them")
    if args is not None and not (isinstance(args, list) and all(isinstance(word, str | int | float) for word in args)):
        raise ValueError(f'args {args!r} must be a list of words, as in ["--batch-size", "1000"]')


@job("run_command", check=check)
def run_command(run: Run, *, command: str, args: Sequence[str | int | float] | None = None) -> None:
    """Raises ValueError for a command that is no longer allowed, CommandFailed, and what the command raises."""
    check(command, list(args) if args else None)
    output = io.StringIO()
    try:
        call_command(command, *map(str, args or []), stdout=output, stderr=output)
    except SystemExit as ending:
        if ending.code:
            raise CommandFailed(f"command {command!r} ended with exit code {ending.code}") from ending
    finally:
        _log(run, command, output.getvalue())


def _log(run: Run, command: str, text: str) -> None:
    for line in text[:_MOST_CHARACTERS].splitlines():
        logger.info("%s %s: %s", run.stamp.slot_id, command, line)
    if len(text) > _MOST_CHARACTERS:
        logger.info("%s %s: %d more characters are left out", run.stamp.slot_id, command, len(text) - _MOST_CHARACTERS)
