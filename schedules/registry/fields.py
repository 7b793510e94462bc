"""The fields a schedule may have in a file, and the kind of value each takes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from schedules.registry.problems import Problems
from schedules.registry.yaml_lines import Located, compose, entries, plain

# The parts of a file, and what each holds.
_PARTS = {"schedules": "schedules by name", "calendars": "dates by name"}
_DATE_EXAMPLE = "2026-01-31T06:00:00Z"


@dataclass(frozen=True, slots=True)
class Value:
    """A field's value and the line its name stands on."""

    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One schedule of the file: its fields and options, each of the right kind; those left out are absent."""

    name: str
    line: int
    fields: Mapping[str, Value]
    options: Mapping[str, Value]

    def get(self, field: str, default: Any = None) -> Any:
        """The value of a field, or the default when the file does not give it."""
        found = self.fields.get(field)
        return default if found is None else found.value

    def line_of(self, field: str) -> int:
        """Where the field stands; the schedule's own line when it is left out."""
        holder = self.options if field.startswith("options.") else self.fields
        found = holder.get(field.removeprefix("options."))
        return self.line if found is None else found.line

    def place(self, field: str) -> str:
        """The field's place in the file."""
        return f"{self.name}.{field}" if field else self.name


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text: quote it")  # noqa: TRY004 one kind of error for the caller
    return value.strip()


def _digits(value: Any) -> str:
    """A text that may be one number, as in `seconds: 30`."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _degrees(value: Any) -> Decimal:
    """To a millionth, which is what is stored. What lies outside the earth is refused where the range is known."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 360:
        raise ValueError(f"{value!r} is no number of degrees: write it as in 52.52 or -13.4")
    return Decimal(str(value)).quantize(Decimal("0.000001")) + 0  # no minus at a zero


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number")  # noqa: TRY004 one kind of error for the caller
    return value


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")  # noqa: TRY004 one kind of error for the caller
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("this must be a mapping, as in { job: sync_feed }")  # noqa: TRY004 one kind of error for the caller
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("this must be a list, as in [1, 2]")  # noqa: TRY004 one kind of error for the caller
    return value


def _instant(value: Any) -> datetime:
    try:
        instant = value if isinstance(value, datetime) else datetime.fromisoformat(_text(value))
    except ValueError as error:
        raise ValueError(f"{value!r} is no instant: write it as in {_DATE_EXAMPLE}") from error
    if instant.tzinfo is None:
        raise ValueError(f"{value!s} has no zone: write it as in {_DATE_EXAMPLE} or with +03:00 at its end")
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{value!s} lies outside the calendar") from error


_FIELDS: dict[str, Callable[[Any], Any]] = {
    "description": _text,
    "task": _text,
    "args": _list,
    "kwargs": _mapping,
    "every": _text,
    "crontab": _text,
    "timezone": _text,
    "at": _instant,
    "solar": _text,
    "latitude": _degrees,
    "longitude": _degrees,
    "queue": _text,
    "priority": _whole,
    "expire_seconds": _whole,
    "start_time": _instant,
    "end": _instant,
    "one_off": _switch,
    "enabled": _switch,
}
_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "catch_up": _text,
    "catchup_window_seconds": _whole,
    "catchup_limit": _whole,
    "overlap": _text,
    "lease_seconds": _whole,
    "catchup_pace_seconds": _whole,
    "seconds": _digits,
    "month_day": _text,
    "ends_at": _instant,
    "max_runs": _whole,
    "calendar": _text,
    "jitter_seconds": _whole,
    "interval_zone": _text,
}


def read_top(path: Path, problems: Problems) -> dict[str, Located]:
    """The parts of the file; what is wrong is noted, and reading goes on. Raises OSError when it cannot be read."""
    data = path.read_bytes()
    try:
        root = compose(data.decode("utf-8-sig"), problems)
    except UnicodeDecodeError as error:
        problems.add(data.count(b"\n", 0, error.start) + 1, "", "this is not UTF-8: save the file with that encoding")
        return {}
    top = entries(root, "", problems) if root is not None else {}
    _refuse_unknown(top, _PARTS, "", problems)
    if root is not None and not top.keys() & _PARTS.keys():
        problems.add(1, "schedules", "it is missing: put the schedules below a line `schedules:`")
    return top


def read_entries(top: Mapping[str, Located], problems: Problems) -> list[Entry]:
    """The schedules of the file; what is wrong is noted, and reading goes on."""
    if "schedules" not in top:
        return []
    schedules = entries(top["schedules"].node, "schedules", problems)
    read = [_entry(name, located, problems) for name, located in schedules.items()]
    return [entry for entry in read if entry is not None]


def _entry(name: str, located: Located, problems: Problems) -> Entry | None:
    if name != name.strip():
        problems.add(located.line, name, "white space stands around the name: remove it")
    known = len(problems.found)
    found = entries(located.node, name, problems)
    if not found and len(problems.found) > known:
        return None
    if not found:
        problems.add(located.line, name, "it is empty: give it a task and a rule")
        return None
    options = found.pop("options", None)
    nested = entries(options.node, f"{name}.options", problems) if options else {}
    return Entry(
        name,
        located.line,
        _values(found, _FIELDS, f"{name}.", problems),
        _values(nested, _OPTIONS, f"{name}.options.", problems),
    )


def _values(
    found: Mapping[str, Located], kinds: Mapping[str, Callable[[Any], Any]], prefix: str, problems: Problems
) -> dict[str, Value]:
    """A null counts as left out."""
    _refuse_unknown(found, kinds, prefix, problems)
    values: dict[str, Value] = {}
    for field, located in found.items():
        known = len(problems.found)
        value = plain(located.node, prefix + field, problems)
        if field not in kinds or value is None or len(problems.found) > known:
            continue
        try:
            values[field] = Value(kinds[field](value), located.line)
        except ValueError as error:
            problems.add(located.line, prefix + field, str(error))
    return values


def _refuse_unknown(found: Mapping[str, Located], known: Mapping[str, Any], prefix: str, problems: Problems) -> None:
    for field, located in found.items():
        if field not in known:
            close = difflib.get_close_matches(field, known, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
            problems.add(located.line, prefix + field, f"there is no such field; {remedy}")
