"""What is wrong with a schedule file: gathered while it is read, told all at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A line (counted from 1), the field's place as in `bids.options.lease_seconds`, and what to do."""

    line: int
    place: str
    text: str


@dataclass(slots=True)
class Problems:
    """A growing list; reading goes on behind each."""

    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, place: str, text: str) -> None:
        """Notes one."""
        self.found.append(Problem(line, place, text))


class RegistryRefused(ValueError):
    """The file holds problems, and nothing of it was applied."""

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        lines = [
            f"{path}:{problem.line}: {problem.place + ': ' if problem.place else ''}{problem.text}"
            for problem in self.problems
        ]
        count = f"{len(lines)} problem{'s' if len(lines) > 1 else ''}"
        super().__init__("\n".join([*lines, f"{count} in {path}: nothing was applied"]))


class UnknownSchedule(LookupError):
    """No schedule has that name; the message names the nearest."""


def by_field(error: ValidationError) -> dict[str, list[str]]:
    """The error's messages by field, whether it was raised for fields or for the whole."""
    return error.message_dict if hasattr(error, "error_dict") else {NON_FIELD_ERRORS: error.messages}
