"""Which processes the project consists of and in which groups they stop: beats first, so that nothing new comes."""

from __future__ import annotations

import sys

from scheduler_project.embedded.ports import LOOPBACK
from scheduler_project.supervisor.child import ChildSpec

DRAIN_SECONDS = 4.0
_BEAT_SECONDS = 3.0
_MARGIN_SECONDS = 2.0
_SANDBOX_SECONDS = 1.0
# The sandbox goes last: runs that are ending still ask it.
_BEATS, _OTHERS, _SANDBOX = 1, 2, 3


def project_processes(*, web_port: int, sandbox_port: int, drain_seconds: float = DRAIN_SECONDS) -> list[ChildSpec]:
    """Two beats, a worker, a relay, the web process and the sandbox; drain_seconds is what the children drain in."""
    budget = drain_seconds + _MARGIN_SECONDS
    celery = ("-m", "celery", "-A", "scheduler_project")
    web = ("-m", "gunicorn", "scheduler_project.wsgi", "--bind", f"{LOOPBACK}:{web_port}")
    # The control socket would lie in the home folder, one for all checkouts.
    threads = (
        "--workers",
        "1",
        "--threads",
        "4",
        "--graceful-timeout",
        str(max(1, int(drain_seconds))),
        "--no-control-socket",
    )
    return [
        _process("sandbox", _SANDBOX, _SANDBOX_SECONDS, "-m", "examples.sandbox_api", "--port", str(sandbox_port)),
        _process("web", _OTHERS, budget, *web, *threads),
        _process("relay", _OTHERS, budget, "manage.py", "relay"),
        _process("worker", _OTHERS, budget, *celery, "worker", "--concurrency", "8", "--without-mingle"),
        _process("beat-1", _BEATS, _BEAT_SECONDS, *celery, "beat"),
        _process("beat-2", _BEATS, _BEAT_SECONDS, *celery, "beat"),
    ]


def _process(name: str, stop_group: int, stop_seconds: float, *arguments: str) -> ChildSpec:
    return ChildSpec(name, (sys.executable, *arguments), stop_group, stop_seconds)
