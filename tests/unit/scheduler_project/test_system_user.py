"""A way in for another user is opened no wider than needed."""

from __future__ import annotations

import stat
from pathlib import Path

from scheduler_project.embedded.system_user import SystemUser, drop_to, open_passage, open_programs


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_passage_lets_through_but_does_not_list(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    inner = closed / "inner"
    inner.mkdir(parents=True)
    closed.chmod(0o700)
    inner.chmod(0o700)
    open_passage(inner)
    assert mode(closed) == 0o701
    assert mode(inner) == 0o700


def test_programs_become_readable_and_runnable(tmp_path: Path) -> None:
    folder = tmp_path / "pginstall"
    (folder / "bin").mkdir(parents=True)
    program, data = folder / "bin" / "postgres", folder / "data"
    for path, bits in ((program, 0o700), (data, 0o600)):
        path.touch()
        path.chmod(bits)
    open_programs(folder)
    assert mode(program) == 0o705
    assert mode(data) == 0o604


def test_nobody_else_means_no_arguments() -> None:
    assert drop_to(None) == {}
    assert drop_to(SystemUser("nobody", 7, 8)) == {"user": 7, "group": 8, "extra_groups": []}
