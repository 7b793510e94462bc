"""The lines of an account file, each judged by the model's own rules; every problem names line, field and remedy."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ValidationError

from workers.models import Account

COLUMNS = ("key", "tenant", "name", "endpoint", "secret_name", "enabled")
_SHOWN_PROBLEMS = 50
_YES, _NO = {"true", "yes", "1"}, {"false", "no", "0"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at a line (counted from 1), in which column if one can be named, and what to do."""

    line: int
    column: str
    text: str


class AccountsRefused(ValueError):
    """The file holds problems, and nothing of it was applied."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        shown = [
            f"{path}:{problem.line}: {problem.column + ': ' if problem.column else ''}{problem.text}"
            for problem in self.problems[:_SHOWN_PROBLEMS]
        ]
        more = len(problems) - len(shown)
        if more:
            shown.append(f"... and {more} more")
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        super().__init__("\n".join([*shown, f"{count} in {path}: nothing was applied"]))


@dataclass(slots=True)
class Line:
    """An account as the file has it; an empty `enabled` leaves a stored account's as it is."""

    number: int
    account: Account
    says_enabled: bool


def read_lines(path: Path) -> list[Line]:
    """Every account of the file. Raises AccountsRefused with every problem, and OSError when it cannot be read."""
    problems: list[Problem] = []
    lines: list[Line] = []
    rows = _rows(_text(path), problems)
    header = next(rows, None)
    if header is None:
        problems.append(Problem(1, "", f"the file is empty: begin it with the line {','.join(COLUMNS)}"))
    elif _check_header(*header, problems):
        names = [name.strip() for name in header[1]]
        lines = [line for number, fields in rows if (line := _line(number, names, fields, problems))]
        _check_keys(lines, problems)
    if header and not lines and not problems:
        problems.append(Problem(header[0], "", "no account follows the header: add a line for each"))
    if problems:
        raise AccountsRefused(path, problems)
    return lines


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = f"byte {data[error.start]:#04x} is not UTF-8: save the file with the encoding UTF-8"
        raise AccountsRefused(path, [Problem(line, "", text)]) from error


def _rows(text: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """(first line, fields) of each row that is not blank; what cannot be read ends the rows."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    first = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield first, fields
            first = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(first, "", f"this row cannot be read ({error}): check its quotes"))


def _check_header(number: int, header: list[str], problems: list[Problem]) -> bool:
    names = [name.strip() for name in header]
    known = len(problems)
    for name in dict.fromkeys(names):
        if name not in COLUMNS:
            problems.append(Problem(number, name[:40], f"there is no such column: use {', '.join(COLUMNS)}"))
        elif names.count(name) > 1:
            problems.append(Problem(number, name, "this column stands here twice: remove one"))
    problems += [Problem(number, name, "this column is missing: add it") for name in COLUMNS if name not in names]
    return len(problems) == known


def _line(number: int, names: list[str], fields: list[str], problems: list[Problem]) -> Line | None:
    if len(fields) != len(names):
        text = f"the row has {len(fields)} fields, the header {len(names)}: quote a field that holds a comma"
        problems.append(Problem(number, "", text))
        return None
    values = {name: value.strip() for name, value in zip(names, fields, strict=True)}
    enabled = values.pop("enabled").lower()
    account = Account(**values, enabled=enabled not in _NO)
    found = [Problem(number, name, text) for name, text in _wrong_values(account, values, enabled)]
    problems += found
    return None if found else Line(number, account, bool(enabled))


def _wrong_values(account: Account, values: dict[str, str], enabled: str) -> Iterator[tuple[str, str]]:
    if enabled and enabled not in _YES | _NO:
        yield "enabled", f"{enabled[:40]!r} is neither true nor false"
    yield from ((name, "it holds a NUL character: remove it") for name, value in values.items() if "\x00" in value)
    try:
        account.clean_fields()
    except ValidationError as error:
        for name, texts in error.message_dict.items():
            yield from ((name, f"{values[name][:40]!r}: {text}") for text in texts)


def _check_keys(lines: list[Line], problems: list[Problem]) -> None:
    first: dict[str, int] = {}
    for line in lines:
        key = line.account.key
        if key in first:
            text = f"{key[:40]!r} stands on line {first[key]} already: remove one of the two"
            problems.append(Problem(line.number, "key", text))
        first.setdefault(key, line.number)
