"""The harness's rounds and their arithmetic: interleaved, paired, inside a budget."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from bench.harness import Contender, Figure, cpu_us_a_call, interleaved, ratio


class Track:
    """Contenders that note when they were asked and answer 1, 2, 3, ... times their weight."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def contender(self, key: str, weight: float = 1) -> Contender:
        turns = count(1)

        def sample() -> float:
            self.order.append(key)
            return next(turns) * weight

        return Contender(key, f"what {key} is", sample)


def clock_of(*readings: float) -> Callable[[], float]:
    """A clock that shows these one after the other."""
    return iter(readings).__next__


def test_rounds_are_interleaved_and_the_warm_up_is_thrown_away() -> None:
    track = Track()
    found = interleaved([track.contender("a"), track.contender("b", 10)], 3)
    assert track.order == ["a", "b"] * 4
    assert found["a"] == Figure("a", "what a is", (2, 3, 4))
    assert found["b"].samples == (20, 30, 40)


def test_without_warm_up_the_first_round_counts() -> None:
    assert interleaved([Track().contender("a")], 2, warm_up=0)["a"].samples == (1, 2)


def test_no_round_begins_that_would_pass_the_budget() -> None:
    clock = clock_of(0, 0, 4, 4, 4, 10, 10)  # rounds of 4 and 6 seconds; a third would end at 16
    found = interleaved([Track().contender("a")], 9, warm_up=0, budget_seconds=15, clock=clock)
    assert found["a"].samples == (1, 2)


def test_one_round_counts_however_small_the_budget() -> None:
    clock = clock_of(0, 0, 50, 50, 60, 60)
    found = interleaved([Track().contender("a")], 9, warm_up=1, budget_seconds=1, clock=clock)
    assert found["a"].samples == (2,)


def test_a_ratio_is_taken_between_neighbours_of_one_round() -> None:
    """The machine got twice as slow in the second round; the ratio did not move."""
    theirs, ours = Figure("theirs", "", (30.0, 60.0, 33.0)), Figure("ours", "", (10.0, 20.0, 10.0))
    found = ratio("theirs_over_ours", "times", theirs, ours)
    assert found.samples == pytest.approx((3.0, 3.0, 3.3))
    assert found.median == pytest.approx(3.0)


def test_a_ratio_of_unlike_many_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ratio("key", "", Figure("a", "", (1.0, 2.0)), Figure("b", "", (1.0,)))


def test_work_too_short_to_measure_is_repeated() -> None:
    turns: list[int] = []

    def work() -> None:
        turns.append(sum(range(20_000)))

    a_call = cpu_us_a_call(work, 100)
    assert len(turns) > 1
    assert 0.05 <= a_call * 100 * len(turns) / 1_000_000 < 5
