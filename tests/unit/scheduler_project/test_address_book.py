"""The address book is replaced whole, and a broken one says what to do."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from scheduler_project.embedded.address_book import (
    address_book_path,
    read_addresses,
    remove_addresses,
    write_addresses,
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    addresses = {"REDIS_URL": "redis://127.0.0.1:1/0", "DATABASE_URL": "postgresql://postgres@%2Fü/slotbeat"}
    write_addresses(tmp_path, addresses)
    assert read_addresses(tmp_path) == addresses


def test_no_book_means_no_addresses(tmp_path: Path) -> None:
    assert read_addresses(tmp_path) == {}


def test_a_removed_book_is_gone_and_may_be_removed_again(tmp_path: Path) -> None:
    write_addresses(tmp_path, {"A": "1"})
    remove_addresses(tmp_path)
    remove_addresses(tmp_path)
    assert read_addresses(tmp_path) == {}


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    write_addresses(tmp_path, {"DATABASE_URL": "postgresql://user:secret@host/db"})
    assert stat.S_IMODE(address_book_path(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{", "[]", '{"REDIS_URL": 1}'])
def test_a_broken_book_names_itself_and_the_remedy(tmp_path: Path, content: str) -> None:
    path = address_book_path(tmp_path)
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(ValueError, match="Delete it and start the stack again") as caught:
        read_addresses(tmp_path)
    assert str(path) in str(caught.value)


def test_a_reader_never_sees_half_a_book(tmp_path: Path) -> None:
    books = [{"REDIS_URL": letter * 20_000} for letter in "ab"]
    write_addresses(tmp_path, books[0])
    done = threading.Event()

    def rewrite() -> None:
        for turn in range(100):
            write_addresses(tmp_path, books[turn % 2])
        done.set()

    writer = threading.Thread(target=rewrite)
    writer.start()
    while not done.is_set():
        assert read_addresses(tmp_path) in books
    writer.join()
    assert [path.name for path in address_book_path(tmp_path).parent.iterdir()] == ["addresses.json"]
