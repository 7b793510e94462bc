"""Jitter: a place in the window that depends on the schedule's name alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.timing.jitter import offset_of

WINDOW = timedelta(seconds=60)


@pytest.mark.parametrize(
    ("name", "milliseconds"), [("nightly", 9_572), ("a", 43_343), ("naïve café", 34_919), ("🌙" * 200, 7_631)]
)
def test_the_place_of_a_name_is_fixed_for_ever(name: str, milliseconds: int) -> None:
    """Beats of two releases must agree; a change of the hash would move every jittered schedule."""
    assert offset_of(name, WINDOW) == timedelta(milliseconds=milliseconds)


@given(name=st.text(max_size=200), window=st.integers(1, 86_400_000))
def test_the_place_lies_in_the_window_on_a_whole_millisecond(name: str, window: int) -> None:
    offset = offset_of(name, timedelta(milliseconds=window))
    assert timedelta(0) <= offset < timedelta(milliseconds=window)
    assert offset % timedelta(milliseconds=1) == timedelta(0)
    assert offset == offset_of(name, timedelta(milliseconds=window))


def test_names_are_spread_over_the_whole_window() -> None:
    places = [offset_of(f"schedule {n}", WINDOW) for n in range(6000)]
    per_second = [sum(place // timedelta(seconds=1) == second for place in places) for second in range(60)]
    assert min(per_second) > 60
    assert max(per_second) < 150


@pytest.mark.parametrize("window", [timedelta(0), timedelta(seconds=-1), timedelta(microseconds=999)])
def test_no_window_no_offset(window: timedelta) -> None:
    assert offset_of("a", window) == timedelta(0)
