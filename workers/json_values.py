"""Values that JSON and PostgreSQL can both hold without loss; everything else is refused with its place named. Pure."""

from __future__ import annotations

import math
from typing import Any


class BadValue(ValueError):
    """A value that could not be stored as it is."""


def checked(value: Any, place: str) -> Any:
    """Returns `value` unchanged. Raises BadValue, naming the place, for NUL, lone surrogates, NaN and other types."""
    match value:
        case str():
            _check_text(value, place)
        case dict():
            for key, item in value.items():
                _check_key(key, place)
                checked(item, f"{place}.{key}")
        case list() | tuple():
            for index, item in enumerate(value):
                checked(item, f"{place}[{index}]")
        case _:
            _check_scalar(value, place)
    return value


def _check_scalar(value: Any, place: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise BadValue(f"{place} is {value}: JSON has no such number, use null or a text")
    if not isinstance(value, int | float | None):
        raise BadValue(f"{place} is a {type(value).__name__}: turn it into a text, a number, a list or an object first")


def _check_key(key: Any, place: str) -> None:
    if not isinstance(key, str):
        raise BadValue(f"{place} has the key {key!r}: keys of a JSON object are texts")
    _check_text(key, f"a key of {place}")


def _check_text(text: str, place: str) -> None:
    if "\x00" in text:
        raise BadValue(f"{place} holds a NUL character: PostgreSQL cannot store it, remove it")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadValue(f"{place} holds half a surrogate pair: it is not valid Unicode, decode the source anew")
