"""Finds a TCP port on the loopback address that nobody listens on."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def pick_port(preferred: int | None = None) -> int:
    """The preferred port if it is free, else one the system chooses."""
    if preferred is not None and _is_free(preferred):
        return preferred
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def answers(port: int, timeout: float = 0.2) -> bool:
    """Whether somebody accepts a connection on this loopback port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout)
        return probe.connect_ex((LOOPBACK, port)) == 0


def _is_free(port: int) -> bool:
    # Binding alone is not enough: some systems let 127.0.0.1 be bound beside a listener on all addresses.
    if answers(port):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
