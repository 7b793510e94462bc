"""What a figure says: median and spread, its line, the results file and the table made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.harness import Figure, read_figures, show, write_results
from bench.report import NoPlace, table, with_table
from bench.timing import differing

FIGURE = Figure("crontab_us", "a crontab, us", (41.0, 39.87, 120.4))
ABOUT: dict[str, Any] = {
    "made_at": "2026-01-02T03:04:05+00:00",
    "quick": False,
    "rounds": 3,
    "python": "3.11.7",
    "processor": "a processor",
    "cores": 2,
    "load_at_start": 0.1,
    "packages": {"celery": "5.7.0"},
}


def test_the_median_and_the_spread() -> None:
    assert (FIGURE.low, FIGURE.median, FIGURE.high) == (39.87, 41.0, 120.4)
    assert Figure("even", "", (1.0, 2.0, 4.0, 9.0)).median == 3.0


@pytest.mark.parametrize(
    ("samples", "line"),
    [
        ((41.0, 39.87, 120.4), "timing.key: 41 (39.9 - 120, 3 rounds)"),
        ((0.0634, 0.06, 0.1), "timing.key: 0.063 (0.060 - 0.100, 3 rounds)"),
        ((99.96,), "timing.key: 100"),
        ((1_600,), "timing.key: 1600"),
        ((0,), "timing.key: 0"),
        ((123_456.7,), "timing.key: 123457"),
    ],
)
def test_a_line_is_key_value_and_spread(samples: tuple[float, ...], line: str) -> None:
    assert Figure("key", "", samples).line("timing") == line


def test_every_figure_is_shown_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    show("timing", [FIGURE, Figure("other", "", (2.0,))])
    assert capsys.readouterr().out == "timing.crontab_us: 41 (39.9 - 120, 3 rounds)\ntiming.other: 2\n"


def test_the_results_file_holds_every_round_and_is_read_back(tmp_path: Path) -> None:
    path = write_results("timing", [FIGURE], ABOUT, tmp_path / "results")
    row = json.loads(path.read_text())["figures"]["crontab_us"]
    assert row == {
        "what": "a crontab, us",
        "median": 41.0,
        "low": 39.87,
        "high": 120.4,
        "samples": [41.0, 39.87, 120.4],
    }
    assert path.name == "timing.json"
    assert read_figures(path) == (ABOUT, [FIGURE])


def test_answers_are_compared_place_by_place() -> None:
    found = differing("celery_differing", "celery's", [1, 2, None, 4], [1, 3, 4, None])
    assert found == Figure("celery_differing", "celery's answers, of 4, that are not ours", (3,))


def test_a_table_has_a_row_a_figure() -> None:
    lines = table(ABOUT, [FIGURE])
    assert "2 cores of a processor (load 0.1 at the start), Python 3.11.7; celery 5.7.0." in lines[0]
    assert lines[-1] == "| `crontab_us` | a crontab, us | 41 | 39.9 - 120 | 3 |"
    assert "QUICK" in table(ABOUT | {"quick": True}, [FIGURE])[0]


def test_a_table_is_replaced_between_its_marks_and_nothing_else() -> None:
    page = "before\n<!-- timing -->\nold\n<!-- /timing -->\n<!-- beat -->\nkept\n<!-- /beat -->\n"
    once = with_table(page, "timing", ["new", "lines"])
    expected = "before\n<!-- timing -->\nnew\nlines\n<!-- /timing -->\n<!-- beat -->\nkept\n<!-- /beat -->\n"
    assert once == expected
    assert with_table(once, "timing", ["new", "lines"]) == expected


def test_a_table_without_a_place_is_refused() -> None:
    with pytest.raises(NoPlace, match="<!-- beat -->"):
        with_table("<!-- timing -->\n<!-- /timing -->\n", "beat", ["new"])
