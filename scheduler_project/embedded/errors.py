"""What the embedded servers raise when one cannot be started or stopped."""

from __future__ import annotations


class EmbeddedServerError(RuntimeError):
    """An embedded server could not do what was asked; the message names the server, its log and what to do."""
