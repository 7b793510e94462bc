"""Choices of a model field from an enum: the same words in code, admin and files."""

from __future__ import annotations

from enum import StrEnum


def choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    """(value, label) pairs; the label is the value in plain words."""
    return [(str(word), str(word).replace("_", " ")) for word in words]
