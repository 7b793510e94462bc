"""The timing bench's mix: the same on every run, readable for all, with nothing that peers mean differently."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from bench.timing_mix import CRONTABS, INSTANTS_A_CRONTAB, YEAR_BEGINS, ZONES, crontab_cases, rows
from bench.timing_start import BUILDERS, cpu_seconds
from schedules.timing.crontab import Crontab


def test_the_mix_is_the_same_on_every_run() -> None:
    assert crontab_cases() == crontab_cases()
    assert rows(200) == rows(200)


def test_every_crontab_stands_in_every_zone() -> None:
    cases = crontab_cases()
    assert {(case.text, case.zone) for case in cases} == {(text, zone) for text in CRONTABS for zone in ZONES}
    assert {len(set(case.instants)) for case in cases} == {INSTANTS_A_CRONTAB}


def test_days_of_month_and_of_week_are_never_both_restricted() -> None:
    fields = [case.fields for case in crontab_cases()] + [row.fields for row in rows(2_000) if row.fields]
    assert not [found for found in fields if found[2] != "*" and found[4] != "*"]


def test_every_row_is_a_rule_that_fires() -> None:
    for row in rows(500):
        if row.fields is None:
            assert row.every > 0
        else:
            assert Crontab(*row.fields, zone=ZoneInfo(row.zone)).next_after(YEAR_BEGINS) is not None


@pytest.mark.parametrize("whose", sorted(BUILDERS))
def test_a_start_builds_and_asks_every_row(whose: str) -> None:
    spent = cpu_seconds(BUILDERS[whose], rows(50))
    assert spent.keys() == {"build", "first"}
    assert min(spent.values()) > 0
