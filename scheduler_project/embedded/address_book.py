"""The address book: where the running embedded servers answer, kept as a file that settings and commands read."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path


def address_book_path(data_dir: Path) -> Path:
    """Where the address book of a data folder lies."""
    return data_dir / "run" / "addresses.json"


def read_addresses(data_dir: Path) -> dict[str, str]:
    """Environment variable -> value as written by the running stack; empty when none is running.

    Raises ValueError when the file holds anything else.
    """
    path = address_book_path(data_dir)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        book = json.loads(text)
    except ValueError as error:
        raise ValueError(_unreadable(path, str(error))) from error
    if not isinstance(book, dict) or not all(isinstance(value, str) for value in book.values()):
        raise ValueError(_unreadable(path, "it is not a flat object of strings"))
    return book


def write_addresses(data_dir: Path, addresses: dict[str, str]) -> None:
    """Replace the address book at once: a reader sees the old file or the new one, never half of one."""
    path = address_book_path(data_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".addresses-", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(addresses, file, indent=2, sort_keys=True)
            file.write("\n")
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def remove_addresses(data_dir: Path) -> None:
    """Take the address book away, so that nobody is sent to servers that have stopped."""
    address_book_path(data_dir).unlink(missing_ok=True)


def _unreadable(path: Path, why: str) -> str:
    return f"The address book {path} cannot be read: {why}. Delete it and start the stack again with `make up`."
