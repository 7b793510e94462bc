"""Stops what a killed starter left running on a data folder, and nothing else: pid files name exactly what was ours."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scheduler_project.embedded.process import stop_leftover

_SERVERS = ("kafka", "valkey", "postgres")
_CHILD_SECONDS = 3.0
_SERVER_SECONDS = 4.5


def stop_leftovers(data_dir: Path) -> list[str]:
    """Stop leftover children first and servers after them; returns the names of those that still ran."""
    run = data_dir / "run"
    children = sorted(path for path in run.glob("*.pid") if path.stem not in _SERVERS)
    with ThreadPoolExecutor() as pool:
        ended = pool.map(lambda path: stop_leftover(path, signal.SIGTERM, _CHILD_SECONDS), children)
        found = [path.stem for path, ran in zip(children, ended, strict=True) if ran]
    for name in _SERVERS:
        # SIGINT asks PostgreSQL for its fast shutdown; SIGTERM would let it wait for its clients.
        polite = signal.SIGINT if name == "postgres" else signal.SIGTERM
        if stop_leftover(run / f"{name}.pid", polite, _SERVER_SECONDS):
            found.append(name)
    return found
