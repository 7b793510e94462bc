"""Secrets come from the environment when they are used: never stored, never logged, never part of an error."""

from __future__ import annotations

import os

PREFIX = "SLOTBEAT_SECRET_"


class SecretUnusable(RuntimeError):
    """A secret is missing or no token; the message names the variable and whose it is, never the value."""

    permanent = True

    def __init__(self, name: str, owner: str, why: str) -> None:
        super().__init__(f"{owner}: the secret in {PREFIX}{name} {why}")
        self.owner = owner
        self.variable = PREFIX + name


def secret(name: str, owner: str) -> str:
    """The value of SLOTBEAT_SECRET_<name>, without white space around it. Raises SecretUnusable."""
    value = os.environ.get(PREFIX + name, "").strip()
    if not value:
        raise SecretUnusable(name, owner, "is not set: set the variable for the workers")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SecretUnusable(name, owner, "holds characters that no header can carry: set the bare token")
    return value
