"""croniter's side of the timing bench, run in its own virtualenv: one line of JSON for each line it is sent.

The greeting holds its answers for the mix as epoch seconds; every further answer is one round in microseconds a call.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from croniter import croniter  # type: ignore[import-untyped]  # it lives in the peers' virtualenv

from bench.harness import cpu_us_a_call
from bench.timing_mix import crontab_cases


def main() -> None:
    """Greets, then measures one round a line until the input ends."""
    cases = [(croniter(case.text), ZoneInfo(case.zone), at) for case in crontab_cases() for at in case.instants]

    def ask() -> list[datetime]:
        return [
            crontab.get_next(datetime, start_time=instant.astimezone(zone)).astimezone(UTC)
            for crontab, zone, instant in cases
        ]

    _say([answer.timestamp() for answer in ask()])
    for _ in sys.stdin:
        _say(cpu_us_a_call(ask, len(cases)))


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
