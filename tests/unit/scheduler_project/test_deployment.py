"""The container files agree with the settings: each name in them is held against the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from scheduler_project import settings
from scheduler_project.environment import CHECKOUT

COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()
OURS = {name: service for name, service in COMPOSE["services"].items() if service.get("image") == "slotbeat"}


def test_the_compose_file_runs_two_beats_a_worker_a_relay_and_the_web_process() -> None:
    assert set(OURS) == {"migrate", "web", "beat-1", "beat-2", "worker", "relay"}


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_variable_of_a_container_is_read_by_the_settings(name: str) -> None:
    assert set(OURS[name]["environment"]) <= settings.env.asked


def test_production_starts_with_the_variables_of_the_compose_file_and_no_others() -> None:
    given = {name: f"redis://{name.lower()}" for name in OURS["web"]["environment"]}
    given |= {"SLOTBEAT_ENV": "production", "DATABASE_URL": "postgresql://u:p@postgres/slotbeat"}
    given |= {"SECURE_COOKIES": "false", "PATH": os.environ["PATH"]}

    ran = subprocess.run(
        [sys.executable, "-c", "import scheduler_project.settings"],
        env=given,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_command_of_a_container_exists(name: str) -> None:
    command = shlex.split(OURS[name].get("command") or " ".join(_default_command()))

    match command:
        case ["python", "manage.py", subcommand, *_]:
            assert subcommand in get_commands()
        case ["celery", "-A", "scheduler_project", subcommand, *_]:
            assert subcommand in {"beat", "worker"}
        case ["gunicorn", target, *_]:
            assert target == "scheduler_project.wsgi"
        case _:
            pytest.fail(f"{name} runs an unknown command: {command}")


@pytest.mark.parametrize("name", sorted(set(OURS) - {"migrate"}))
def test_a_container_is_given_longer_than_the_drain_budget(name: str) -> None:
    grace = int(OURS[name]["stop_grace_period"].removesuffix("s"))

    assert grace == 60 > settings.SLOTBEAT_DRAIN_SECONDS


def test_redis_keeps_its_data_and_never_evicts() -> None:
    command = COMPOSE["services"]["redis"]["command"]

    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command


def test_the_image_holds_every_package_of_the_project() -> None:
    copied = set(re.findall(r"^COPY (\S+) \S+$", DOCKERFILE, re.MULTILINE))

    assert {"scheduler_project", "schedules", "workers", "examples"} <= copied


def _default_command() -> list[str]:
    line = re.search(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert line is not None
    return list(yaml.safe_load(line[1]))
