"""Children's lines stand behind their names, aligned, coloured on a terminal only."""

from __future__ import annotations

import io

from scheduler_project.supervisor.output import PrefixedOutput


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_names_are_aligned() -> None:
    stream = io.StringIO()
    output = PrefixedOutput(stream, ["beat-1", "sandbox"])
    output.line("beat-1", "ticks")
    output.line("sandbox", "serves")
    assert stream.getvalue() == "beat-1  | ticks\nsandbox | serves\n"


def test_a_terminal_gets_a_colour_a_name() -> None:
    stream = Terminal()
    output = PrefixedOutput(stream, ["a", "b"])
    output.line("a", "x")
    output.line("b", "x")
    first, second = stream.getvalue().splitlines()
    assert first == "\033[36ma |\033[0m x"
    assert second == "\033[33mb |\033[0m x"


def test_a_closed_stream_stops_nobody() -> None:
    stream = io.StringIO()
    output = PrefixedOutput(stream, ["a"])
    stream.close()
    output.line("a", "lost")
