"""`python -m bench.timing`: what the next fire time costs, beside celery, cronsim, croniter and the bare limit.

All figures are CPU time of one core. Per call: the mean over the mix, in a process that has asked before. `all_100k_s`:
a fresh process, texts of 100,000 rows in, rules built, the first next fire time of each out.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bench.circumstances import circumstances, quick, versions
from bench.harness import Contender, Figure, cpu_us_a_call, interleaved, ratio, show, write_results
from bench.peers import PeerMissing, PeerProcess, fresh_process, peer_folder, peer_python
from bench.timing_contenders import (
    Ask,
    additions,
    celery_crontabs,
    celery_intervals,
    conversions,
    cronsim_crontabs,
    cronsim_walks,
    our_crontabs,
    our_intervals,
    our_walks,
)
from bench.timing_mix import crontab_cases

CRONITER = ("croniter==7.0.0", "python-dateutil==2.9.0.post0", "six==1.17.0")
SCHEDULES = 100_000


class _Length(NamedTuple):
    """How many rounds of single questions and of whole starts, and the seconds that neither may pass."""

    rounds: int
    rounds_seconds: float
    starts: int
    starts_seconds: float


_QUICK = _Length(rounds=5, rounds_seconds=9, starts=2, starts_seconds=34)
_FULL = _Length(rounds=15, rounds_seconds=math.inf, starts=5, starts_seconds=math.inf)


def main() -> int:
    """Measures, prints and writes. Ends with 1 when a peer cannot be had."""
    in_a_hurry = quick(os.environ)
    length = _QUICK if in_a_hurry else _FULL
    about = circumstances(
        datetime.now(UTC),  # noqa: TID251 entry point: the run's date
        rounds=length.rounds,
        in_a_hurry=in_a_hurry,
        packages=versions("celery", "django-celery-beat", "cronsim", "tzdata")
        | dict(pin.split("==") for pin in CRONITER),
    )
    try:
        figures = [*_calls(length), *_starts(length)]
    except PeerMissing as error:
        sys.stderr.write(f"timing: {error}\n")
        return 1
    show("timing", figures)
    write_results("timing", figures, about)
    return 0


def _calls(length: _Length) -> list[Figure]:
    """The cost of one question, and how often the peers give our answer."""
    with PeerProcess(peer_python(peer_folder("timing"), CRONITER), "bench.timing_croniter") as croniter:
        found = interleaved(
            [*_in_this_process(), _croniter(croniter)], length.rounds, budget_seconds=length.rounds_seconds
        )
        return [*found.values(), *_call_ratios(found), *_differing_answers(croniter.greeting)]


def _in_this_process() -> list[Contender]:
    return [
        _contender("interval_us", "an interval's next fire time", our_intervals()),
        _contender("interval_celery_us", "the same, celery's schedule.remaining_estimate", celery_intervals()),
        _contender("interval_limit_us", "bare limit: one addition", additions()),
        _contender("crontab_us", "a crontab's next fire time", our_crontabs()),
        _contender("crontab_celery_us", "the same, celery's crontab.remaining_estimate", celery_crontabs()),
        _contender("crontab_cronsim_us", "the same, cronsim, reading the text each time", cronsim_crontabs()),
        _contender("crontab_limit_us", "bare limit: to the zone's wall clock and back", conversions()),
        _contender("crontab_walk_us", "a crontab's next fire time, asked from the one before", our_walks()),
        _contender("crontab_cronsim_walk_us", "the same, cronsim, reading the text once in ten", cronsim_walks()),
    ]


def _contender(key: str, what: str, ask: Ask) -> Contender:
    calls = len(ask())
    return Contender(key, f"{what}, us", lambda: cpu_us_a_call(ask, calls))


def _croniter(process: PeerProcess) -> Contender:
    return Contender("crontab_croniter_us", "a crontab's next fire time, croniter, us", process.ask)


def _call_ratios(found: dict[str, Figure]) -> list[Figure]:
    pairs = [
        ("interval_celery_over_ours", "celery's time over ours", "interval_celery_us", "interval_us"),
        ("interval_ours_over_limit", "our time over the bare limit", "interval_us", "interval_limit_us"),
        ("crontab_celery_over_ours", "celery's time over ours", "crontab_celery_us", "crontab_us"),
        ("crontab_cronsim_over_ours", "cronsim's time over ours", "crontab_cronsim_us", "crontab_us"),
        ("crontab_croniter_over_ours", "croniter's time over ours", "crontab_croniter_us", "crontab_us"),
        ("crontab_ours_over_limit", "our time over the bare limit", "crontab_us", "crontab_limit_us"),
        ("crontab_cronsim_walk_over_ours", "cronsim's time over ours", "crontab_cronsim_walk_us", "crontab_walk_us"),
    ]
    return _ratios(found, pairs)


def _ratios(found: dict[str, Figure], pairs: Sequence[tuple[str, str, str, str]]) -> list[Figure]:
    return [ratio(key, f"{what}, times", found[upper], found[lower]) for key, what, upper, lower in pairs]


def _differing_answers(croniter: list[float]) -> list[Figure]:
    """Speed is only compared where the answers are the same."""
    ours = our_crontabs()()
    asked = [instant for case in crontab_cases() for instant in case.instants]
    celery = [instant + left for instant, left in zip(asked, celery_crontabs()(), strict=True)]
    return [
        differing("crontab_celery_differing", "celery's", ours, celery),
        differing("crontab_cronsim_differing", "cronsim's", ours, cronsim_crontabs()()),
        differing("crontab_croniter_differing", "croniter's", [at.timestamp() for at in ours], croniter),
    ]


def differing(key: str, whose: str, ours: Sequence[object], theirs: Sequence[object]) -> Figure:
    """How many answers of a peer are not ours, place by place."""
    count = sum(our != their for our, their in zip(ours, theirs, strict=True))
    return Figure(key, f"{whose} answers, of {len(ours):,}, that are not ours", (count,))


def _starts(length: _Length) -> list[Figure]:
    """A hundred thousand rules built and asked once; every round a fresh process."""
    steps: list[dict[str, float]] = []

    def ours() -> float:
        steps.append(fresh_process("bench.timing_start", "ours", str(SCHEDULES)))
        return sum(steps[-1].values())

    contenders = [
        Contender("all_100k_s", "100,000 mixed schedules built and asked once, s", ours),
        Contender("all_100k_celery_s", "the same, celery's rules, s", _start_of("celery")),
        Contender("all_100k_limit_s", "bare limit: zone conversions and additions only, s", _start_of("limit")),
    ]
    found = interleaved(contenders, length.starts, warm_up=0, budget_seconds=length.starts_seconds)
    pairs = [
        ("all_100k_celery_over_ours", "celery's time over ours", "all_100k_celery_s", "all_100k_s"),
        ("all_100k_ours_over_limit", "our time over the bare limit", "all_100k_s", "all_100k_limit_s"),
    ]
    return [
        *found.values(),
        Figure("all_100k_build_s", "of ours: building the rules, s", tuple(step["build"] for step in steps)),
        Figure("all_100k_first_s", "of ours: the first next fire times, s", tuple(step["first"] for step in steps)),
        *_ratios(found, pairs),
    ]


def _start_of(whose: str) -> Callable[[], float]:
    return lambda: sum(fresh_process("bench.timing_start", whose, str(SCHEDULES)).values())


if __name__ == "__main__":
    sys.exit(main())
