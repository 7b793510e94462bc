"""Makes a started database ready, in a process of its own: migrations, the first admin user, the samples.

`up` starts it once the servers' addresses stand in the environment, since Django reads its settings only once.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db.models import Q

ADMIN_NAME = "admin"
ACCOUNTS_SAMPLE, SCHEDULES_SAMPLE = "examples/accounts.csv", "examples/schedules.yaml"


def main(arguments: list[str]) -> int:
    """Take the data folder's path; returns 1 after a step that was refused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
    django.setup()
    try:
        prepare(Path(arguments[0]))
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def prepare(data_dir: Path) -> None:
    """Migrate; make an admin user if there is none; load the samples into a project that holds nothing yet."""
    with _step("database migrated"):
        call_command("migrate", interactive=False, verbosity=0)
    if not _has_admin():
        with _step("admin user made"):
            _make_admin(data_dir)
    if _is_empty():
        with _step(f"{ACCOUNTS_SAMPLE} loaded"):
            call_command("accounts", "load", ACCOUNTS_SAMPLE)
        with _step(f"{SCHEDULES_SAMPLE} applied"):
            call_command("schedules", "apply", SCHEDULES_SAMPLE)


def admin_password_path(data_dir: Path) -> Path:
    """Where the password of the first admin user is kept, readable by its owner only."""
    return data_dir / "run" / "admin-password"


def step_line(what: str, seconds: float) -> str:
    """One line of progress."""
    return f"  {what:<36} {seconds:5.1f} s"


def _has_admin() -> bool:
    return get_user_model()._default_manager.filter(Q(is_superuser=True) | Q(username=ADMIN_NAME)).exists()


def _make_admin(data_dir: Path) -> None:
    password = _kept_password(admin_password_path(data_dir))
    get_user_model()(username=ADMIN_NAME, password=make_password(password), is_staff=True, is_superuser=True).save()


def _kept_password(path: Path) -> str:
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    password = secrets.token_urlsafe(12)
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{password}\n")
    return password


def _is_empty() -> bool:
    models = (apps.get_model("workers", "Account"), apps.get_model("django_celery_beat", "PeriodicTask"))
    return not any(model._default_manager.exists() for model in models)


@contextmanager
def _step(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    sys.stdout.write(f"{step_line(what, time.monotonic() - began)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
