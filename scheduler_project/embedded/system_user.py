"""Chooses the system user PostgreSQL runs as: it refuses root, so a root session lends it another user and a way in."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from scheduler_project.embedded.errors import EmbeddedServerError

_STAND_INS = ("postgres", "nobody")


@dataclass(frozen=True)
class SystemUser:
    """A user of the machine."""

    name: str
    uid: int
    gid: int


def server_user(data_dir: Path) -> SystemUser | None:
    """Whom to run as: nobody else (None) unless this is root; then the data folder's owner or a stand-in.

    Raises EmbeddedServerError when root finds no user to lend.
    """
    if os.geteuid() != 0:
        return None
    owner = data_dir.stat().st_uid if data_dir.exists() else 0
    if owner != 0:
        return _from_entry(pwd.getpwuid(owner))
    for name in _STAND_INS:
        try:
            return _from_entry(pwd.getpwnam(name))
        except KeyError:
            continue
    raise EmbeddedServerError(
        "PostgreSQL refuses to run as root and this machine has neither a user `postgres` nor `nobody`. "
        "Run the command as an ordinary user, or create one of the two."
    )


class UserArguments(TypedDict, total=False):
    """The arguments of subprocess.Popen that choose the user."""

    user: int
    group: int
    extra_groups: list[str | int]


def drop_to(user: SystemUser | None) -> UserArguments:
    """Popen's arguments for running a program as another user, and as oneself for None."""
    return {} if user is None else {"user": user.uid, "group": user.gid, "extra_groups": []}


def open_passage(path: Path) -> None:
    """Let other users pass through (not list) every folder above path."""
    for folder in path.resolve().parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)


def open_programs(root: Path) -> None:
    """Let other users read and run the programs under root when a strict umask kept them out at installation."""
    if root.stat().st_mode & stat.S_IROTH and all(item.stat().st_mode & stat.S_IROTH for item in root.rglob("*")):
        return
    for item in [root, *root.rglob("*")]:
        mode = stat.S_IMODE(item.stat().st_mode)
        runnable = stat.S_IXOTH if item.is_dir() or mode & stat.S_IXUSR else 0
        item.chmod(mode | stat.S_IROTH | runnable)


def _from_entry(entry: pwd.struct_passwd) -> SystemUser:
    return SystemUser(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)
