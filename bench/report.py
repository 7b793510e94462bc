"""`python -m bench.report`: remakes the tables of docs/performance.md from what the benches wrote.

A table stands between `<!-- NAME -->` and `<!-- /NAME -->`; what is between them is made anew, the rest is left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from bench.harness import CHECKOUT, RESULTS, Figure, read_figures

PAGE = CHECKOUT / "docs" / "performance.md"


class NoPlace(ValueError):
    """The page has no place for a bench's table."""


def main() -> int:
    """Every result becomes its table. Ends with 1 when there is nothing to show or no place for it."""
    results = sorted(RESULTS.glob("*.json"))
    if not results:
        sys.stderr.write("report: bench/results is empty: run `make bench` first\n")
        return 1
    page = PAGE.read_text()
    try:
        for path in results:
            page = with_table(page, path.stem, table(*read_figures(path)))
    except NoPlace as error:
        sys.stderr.write(f"report: {error}\n")
        return 1
    PAGE.write_text(page)
    sys.stdout.write(f"report: {PAGE.relative_to(CHECKOUT)} shows {', '.join(path.stem for path in results)}\n")
    return 0


def with_table(page: str, bench: str, lines: Sequence[str]) -> str:
    """The page with the bench's table in its place. Raises NoPlace when the marks are missing."""
    opening, closing = f"<!-- {bench} -->", f"<!-- /{bench} -->"
    before, opened, rest = page.partition(opening)
    _, closed, after = rest.partition(closing)
    if not opened or not closed:
        raise NoPlace(f"{PAGE.name} has no {opening} ... {closing}: add both lines where {bench}'s table belongs")
    return "\n".join([before + opening, *lines, closing + after])


def table(about: Mapping[str, Any], figures: Sequence[Figure]) -> list[str]:
    """A caption with the run's circumstances, then a row a figure."""
    return [
        _caption(about),
        "",
        "| key | what | median | lowest - highest | rounds |",
        "| --- | --- | ---: | ---: | ---: |",
        *(
            f"| `{figure.key}` | {figure.what} | {figure.middle()} | {figure.spread()} | {len(figure.samples)} |"
            for figure in figures
        ),
    ]


def _caption(about: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {found}" for name, found in about["packages"].items())
    where = f"{about['cores']} cores of {about['processor']} (load {about['load_at_start']} at the start)"
    hurry = " Few rounds (QUICK)." if about["quick"] else ""
    return f"Run at {about['made_at']} on {where}, Python {about['python']}; {packages}.{hurry}"


if __name__ == "__main__":
    sys.exit(main())
