"""One stack a data folder: a file lock the system gives back by itself however its holder ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType


class AlreadyRunning(Exception):
    """Another process runs the stack of this data folder."""


class DataFolderLock:
    """Held in a `with` block; entering raises AlreadyRunning, with the holder's pid, when somebody else holds it."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._descriptor: int | None = None

    def __enter__(self) -> None:
        path = self._data_dir / "run" / "up.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode() or "unknown"
            os.close(descriptor)
            raise AlreadyRunning(
                f"Slotbeat already runs on {self._data_dir} (pid {holder}). Stop it with Ctrl-C in its terminal or "
                f"`kill {holder}`, or name another folder with SLOTBEAT_DATA_DIR."
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
