"""One stack a data folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scheduler_project.supervisor.lock import AlreadyRunning, DataFolderLock


def test_a_second_holder_is_refused_with_the_first_ones_pid(tmp_path: Path) -> None:
    with (
        DataFolderLock(tmp_path),
        pytest.raises(AlreadyRunning, match=rf"pid {os.getpid()}\)"),
        DataFolderLock(tmp_path),
    ):
        pass


def test_the_lock_comes_back(tmp_path: Path) -> None:
    with DataFolderLock(tmp_path):
        pass
    with DataFolderLock(tmp_path):
        assert (tmp_path / "run" / "up.lock").read_text() == str(os.getpid())


def test_two_folders_do_not_meet(tmp_path: Path) -> None:
    with DataFolderLock(tmp_path / "a"), DataFolderLock(tmp_path / "b"):
        assert (tmp_path / "b" / "run" / "up.lock").exists()
