"""Real beat processes on the test run's servers, with a PostgreSQL database and a Redis database of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql
from redis import Redis

from scheduler_project.environment import CHECKOUT

_FIRST_REDIS_NUMBER = 40
_MIGRATE = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""
_STOP_SECONDS = 10


class BeatProcess:
    """One `celery beat`; what it says goes to a file."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "scheduler_project", "beat"],
                cwd=CHECKOUT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process id, which is part of the beat's id."""
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL: nothing is written, nothing is given back."""
        self._process.kill()
        self._process.wait(_STOP_SECONDS)

    def terminate(self) -> tuple[int, float]:
        """SIGTERM; the exit code, and the seconds until the end."""
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(_STOP_SECONDS), time.monotonic() - began

    def end(self) -> None:
        """Leaves no process behind, whatever the test has done."""
        if self._process.poll() is None:
            self.kill()


class BeatStage:
    """Starts beats and looks at what they do, from outside."""

    def __init__(self, database_url: str, redis_url: str) -> None:
        self._env = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url, "LOG_LEVEL": "INFO"}
        self._env.pop("CELERY_BROKER_URL", None)
        self._database_url = database_url
        self._beats: list[BeatProcess] = []
        self.redis = Redis.from_url(redis_url, decode_responses=True)

    def run_python(self, program: str) -> None:
        """A program with the stage's settings, to its end. Raises CalledProcessError."""
        env = {**self._env, "DJANGO_SETTINGS_MODULE": "scheduler_project.settings"}
        subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, env=env, check=True, timeout=60)

    def start_beat(self, folder: Path) -> BeatProcess:
        """One more beat."""
        beat = BeatProcess(self._env, folder / f"beat-{len(self._beats)}.log")
        self._beats.append(beat)
        return beat

    def rows(self, query: str, *parameters: Any) -> Sequence[tuple[Any, ...]]:
        """What PostgreSQL answers."""
        with psycopg.connect(self._database_url) as session:
            return session.execute(query, parameters).fetchall()

    def clean(self) -> None:
        """No beat, no message, no row."""
        for beat in self._beats:
            beat.end()
        self._beats.clear()
        self.redis.flushdb()
        with psycopg.connect(self._database_url) as session:
            session.execute("TRUNCATE schedules_slot, django_celery_beat_periodictask CASCADE")


@contextmanager
def beat_stage() -> Iterator[BeatStage]:
    """A stage with migrated tables; its database is dropped at the end."""
    server = urlsplit(os.environ["DATABASE_URL"])
    name = f"beats_{os.getpid()}"
    redis_number = _FIRST_REDIS_NUMBER + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    redis_url = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{redis_number}"))
    with psycopg.connect(urlunsplit(server), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        stage = BeatStage(urlunsplit(server._replace(path=f"/{name}")), redis_url)
        try:
            stage.run_python(_MIGRATE)
            yield stage
        finally:
            stage.clean()
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
