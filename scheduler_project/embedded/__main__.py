"""`python -m scheduler_project.embedded run -- CMD ...`: runs one command beside throw-away servers."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.throw_away import ThrowAwayServers


def main(arguments: list[str]) -> int:
    """Run the command with the three addresses in its environment; returns its exit code."""
    options = _parse(arguments)
    try:
        with ThrowAwayServers(options.data_dir) as urls:
            return _run(options.command, urls)
    except EmbeddedServerError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scheduler_project.embedded", description=__doc__)
    run = parser.add_subparsers(dest="action", required=True).add_parser("run", help="run a command beside the servers")
    run.add_argument("--data-dir", type=Path, help="use and keep this data folder instead of a throw-away one")
    run.add_argument("command", nargs="+", metavar="CMD", help="the command, after --")
    return parser.parse_args(arguments)


def _run(command: list[str], urls: dict[str, str]) -> int:
    # Ctrl-C reaches the command by the terminal; here it is left alone, so that the servers outlive the command.
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        process = subprocess.Popen(command, env={**os.environ, **urls})  # noqa: S603 the user's own command
    except OSError as error:
        sys.stderr.write(f"The command {command[0]!r} cannot be started: {error}\n")
        return 127
    signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
