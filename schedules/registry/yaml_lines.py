"""YAML with its line numbers: mappings without duplicate keys, and values that JSON can hold. Safe loader only."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from schedules.registry.problems import Problems

_QUOTE = 'quote a text that begins with a star or holds a colon, as in crontab: "*/5 * * * *"'
_REMEDIES = {
    "expected alphabetic": _QUOTE,
    "mapping values": _QUOTE,
    "another document": "keep the first one only",
    "an alias": "write the value out again, aliases are not read",
}


class _Loader(yaml.SafeLoader):
    """An alias would let a small file stand for a huge value."""

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "an alias", mark)
        return super().compose_node(parent, index)


@dataclass(frozen=True, slots=True)
class Located:
    """A value's node with the line its key stands on."""

    node: Node
    line: int


def compose(text: str, problems: Problems) -> Node | None:
    """The root of the only document; None, with the problem noted, when the text is empty or no YAML."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problems.add(line, "", _not_yaml(str(error.problem or error.context)))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problems.add(line, "", f"this is not YAML ({error.reason}): remove the character")
    except RecursionError:
        problems.add(1, "", "the values are nested too deeply to be read: flatten them")
    else:
        if root is None:
            problems.add(1, "", "the file is empty: begin it with `schedules:`")
        return root
    return None


def entries(node: Node, place: str, problems: Problems) -> dict[str, Located]:
    """The entries of a mapping by key; other nodes, odd keys and duplicates are noted."""
    if not isinstance(node, MappingNode):
        problems.add(line_of(node), place, "this must be a mapping of names to values")
        return {}
    found: dict[str, Located] = {}
    for key_node, value in node.value:
        line = line_of(key_node)
        key = plain(key_node, place, problems) if isinstance(key_node, ScalarNode) else None
        if not isinstance(key, str) or not key.strip():
            problems.add(line, place, f"the key {_shown(key_node)!r} is not a text: quote it")
        elif key in found:
            problems.add(line, f"{place}.{key}".lstrip("."), f"it stands on line {found[key].line} already: remove one")
        else:
            found[key] = Located(value, line)
    return found


def plain(node: Node, place: str, problems: Problems) -> Any:
    """The value as Python has it; what JSON or PostgreSQL cannot hold is noted. Instants stay datetimes."""
    if isinstance(node, MappingNode):
        return {
            key: plain(each.node, f"{place}.{key}", problems) for key, each in entries(node, place, problems).items()
        }
    if isinstance(node, SequenceNode):
        return [plain(each, f"{place}[{index}]", problems) for index, each in enumerate(node.value)]
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        why = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error)
        problems.add(line_of(node), place, f"{_shown(node)!r} cannot be read ({why}): quote it if it is a text")
        return None
    if why := _unstorable(value):
        problems.add(line_of(node), place, why)
        return None
    return value


def json_text(value: Any, line: int, place: str, problems: Problems) -> str:
    """The value as JSON in one spelling; what JSON has no word for is noted."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=isinstance(value, Mapping))
    except TypeError as error:
        problems.add(line, place, f"JSON cannot hold it ({error}): quote dates and instants to make them texts")
        return "null"


def line_of(node: Node) -> int:
    """Where the node begins, counted from 1."""
    return int(node.start_mark.line) + 1


def _not_yaml(why: str) -> str:
    remedy = next((remedy for sign, remedy in _REMEDIES.items() if sign in why), "correct the line or the one before")
    return f"this cannot be read ({why}): {remedy}"


def _unstorable(value: Any) -> str:
    if isinstance(value, str) and any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in value):
        return "the text holds a NUL or half a surrogate pair, which PostgreSQL cannot store: remove it"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is no JSON number: use null or a text"
    if not isinstance(value, str | int | float | datetime | None):
        return f"a {type(value).__name__} has no place here: quote it to make it a text"
    return ""


def _shown(node: Node) -> str:
    return str(node.value)[:40] if isinstance(node, ScalarNode) else "mapping or list"
