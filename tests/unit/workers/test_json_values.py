"""What PostgreSQL and JSON cannot hold is refused with its place named; everything else comes back as it went in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.json_values import BadValue, checked

TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)


@pytest.mark.parametrize(
    ("value", "place", "complaint"),
    [
        ({"name": "a\x00b"}, "payload.name", "NUL"),
        ({"name": ["ok", "\ud83d"]}, "payload.name[1]", "surrogate"),
        ({"a": {"b": [{"c": float("nan")}]}}, "payload.a.b[0].c", "nan"),
        ([float("inf")], "payload[0]", "inf"),
        ((1, float("-inf")), "payload[1]", "-inf"),
        ({"raw": b"\xff\x00"}, "payload.raw", "bytes"),
        ({"price": Decimal("1.10")}, "payload.price", "Decimal"),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "payload.at", "datetime"),
        ({"tags": {"a"}}, "payload.tags", "set"),
        ({1: "one"}, "payload", "key 1"),
        ({"a": {None: 1}}, "payload.a", "key None"),
        ({"a\x00": 1}, "a key of payload", "NUL"),
        ({"x": {"\udfff": 1}}, "a key of payload.x", "surrogate"),
        (object(), "payload", "object"),
    ],
)
def test_what_cannot_be_held_is_refused_with_its_place(value: Any, place: str, complaint: str) -> None:
    with pytest.raises(BadValue) as refusal:
        checked(value, "payload")
    assert str(refusal.value).startswith(f"{place} ")
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    "value", ["👩‍👩‍👧‍👦 é ÷ 漢", "\u0001\u001f", "\ufffe\uffff", 2**80, -0.0, True, None, [], {}, ""]
)
def test_the_unusual_but_lawful_passes(value: Any) -> None:
    assert checked(value, "payload") is value


@given(VALUES)
def test_what_passes_is_valid_utf8_json_of_the_same_value(value: Any) -> None:
    assert checked(value, "payload") is value
    assert json.loads(json.dumps(value, ensure_ascii=False).encode()) == value


@given(VALUES, st.sampled_from(["\x00", "\ud800", float("nan"), b"raw"]))
def test_one_bad_value_is_found_beside_any_good_ones(value: Any, bad: Any) -> None:
    with pytest.raises(BadValue, match=r"payload\[1\]\.deep"):
        checked([value, {"deep": bad}], "payload")
