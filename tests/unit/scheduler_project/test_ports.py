"""A port somebody listens on is never picked."""

from __future__ import annotations

import socket

import pytest

from scheduler_project.embedded.ports import LOOPBACK, answers, pick_port


def test_a_free_preferred_port_is_taken() -> None:
    free = pick_port()
    assert pick_port(free) == free


@pytest.mark.parametrize("address", [LOOPBACK, "0.0.0.0"])  # noqa: S104 the port must count as taken then too
def test_a_taken_preferred_port_is_avoided(address: str) -> None:
    with socket.create_server((address, 0)) as listener:
        taken = listener.getsockname()[1]
        picked = pick_port(taken)
    assert picked != taken


def test_answers_tells_a_listener_from_silence() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]
        assert answers(port)
    assert not answers(port)
