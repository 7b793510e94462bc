"""A peer's process: a line in, a line of JSON out, and a clear word when it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.peers import PeerMissing, PeerProcess, fresh_process


def test_a_fresh_process_prints_one_answer() -> None:
    spent = fresh_process("bench.timing_start", "limit", "20")
    assert spent.keys() == {"build", "first"}


def test_a_process_that_ends_is_told_with_its_code() -> None:
    with (
        pytest.raises(PeerMissing, match=r"bench\.no_such_module ended with code 1"),
        PeerProcess(Path(sys.executable), "bench.no_such_module"),
    ):
        pass


def test_a_question_after_the_end_is_refused() -> None:
    with (
        PeerProcess(Path(sys.executable), "bench.timing_start", "limit", "20") as process,
        pytest.raises(PeerMissing, match="ended with code 0"),
    ):
        process.ask()
