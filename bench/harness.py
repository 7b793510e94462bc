"""What every bench shares: interleaved rounds, their statistics, the printed lines and the results file."""

from __future__ import annotations

import gc
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
RESULTS = CHECKOUT / "bench" / "results"
_MEASURABLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Contender:
    """One of those compared; `sample` measures it once and answers in the unit that the key ends with."""

    key: str
    what: str
    sample: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """What came out under one key: a value a round, in the order of the rounds."""

    key: str
    what: str
    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return statistics.median(self.samples)

    @property
    def low(self) -> float:
        """The lowest round."""
        return min(self.samples)

    @property
    def high(self) -> float:
        """The highest round."""
        return max(self.samples)

    def middle(self) -> str:
        """The median, to be read."""
        return _short(self.median)

    def spread(self) -> str:
        """Lowest and highest, or nothing for what was taken once."""
        return f"{_short(self.low)} - {_short(self.high)}" if len(self.samples) > 1 else ""

    def line(self, bench: str) -> str:
        """`bench.key: median (low - high, rounds)`; the value alone for what was taken once."""
        rest = f" ({self.spread()}, {len(self.samples)} rounds)" if self.spread() else ""
        return f"{bench}.{self.key}: {self.middle()}{rest}"


def _short(value: float) -> str:
    """Three digits that say something, and no exponent."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.3f}"


def interleaved(
    contenders: Sequence[Contender],
    rounds: int,
    *,
    warm_up: int = 1,
    budget_seconds: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Figure]:
    """A B C, A B C, ...: what disturbs the machine for a while disturbs all. `warm_up` rounds first are thrown away.

    Ends early, after one counted round at least, when another one like the longest would pass the budget.
    """
    played: list[list[float]] = []
    began, longest = clock(), 0.0
    while len(played) < warm_up + rounds:
        round_began = clock()
        played.append([contender.sample() for contender in contenders])
        longest = max(longest, clock() - round_began)
        if len(played) > warm_up and clock() - began + longest > budget_seconds:
            break
    columns = zip(*played[warm_up:], strict=True)
    return {
        contender.key: Figure(contender.key, contender.what, column)
        for contender, column in zip(contenders, columns, strict=True)
    }


def ratio(key: str, what: str, upper: Figure, lower: Figure) -> Figure:
    """How many times `lower` is in `upper`, round by round: each pair was measured side by side."""
    pairs = zip(upper.samples, lower.samples, strict=True)
    return Figure(key, what, tuple(above / below for above, below in pairs))


def cpu_us_a_call(work: Callable[[], object], calls: int) -> float:
    """Microseconds of this process's CPU for each of the `calls` that `work` makes.

    Repeated until there is enough to measure, with the garbage collector off, as `timeit` does.
    """
    gc.collect()
    gc.disable()
    try:
        began, turns, spent = time.process_time(), 0, 0.0
        while spent < _MEASURABLE_SECONDS:
            work()
            turns, spent = turns + 1, time.process_time() - began
    finally:
        gc.enable()
    return spent / turns / calls * 1_000_000


def show(bench: str, figures: Sequence[Figure]) -> None:
    """One line a figure."""
    sys.stdout.write("".join(f"{figure.line(bench)}\n" for figure in figures))
    sys.stdout.flush()


def write_results(bench: str, figures: Sequence[Figure], about: Mapping[str, Any], folder: Path = RESULTS) -> Path:
    """`<bench>.json`: what the run was like, and for each key its median, lowest, highest and every round."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{bench}.json"
    path.write_text(json.dumps({"bench": bench, "about": dict(about), "figures": _as_rows(figures)}, indent=1) + "\n")
    return path


def _as_rows(figures: Sequence[Figure]) -> dict[str, dict[str, Any]]:
    return {
        figure.key: {
            "what": figure.what,
            "median": figure.median,
            "low": figure.low,
            "high": figure.high,
            "samples": figure.samples,
        }
        for figure in figures
    }


def read_figures(path: Path) -> tuple[dict[str, Any], list[Figure]]:
    """What `write_results` wrote: the run's circumstances and its figures."""
    found = json.loads(path.read_text())
    return found["about"], [Figure(key, row["what"], tuple(row["samples"])) for key, row in found["figures"].items()]
