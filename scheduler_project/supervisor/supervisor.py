"""The supervisor: starts children in order, keeps them running, and stops them group by group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from scheduler_project.supervisor.child import Child, Ending


class Supervisor:
    """A set of children that start and stop together."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = {child.spec.name: child for child in children}
        self._in_haste = False

    def child(self, name: str) -> Child:
        """The child of that name. Raises KeyError."""
        return self._children[name]

    def start(self) -> None:
        """Start every child in the order given."""
        for child in self._children.values():
            child.start()

    def stop(self) -> list[Ending]:
        """Stop the groups one after another, the children of a group side by side; returns how each ended."""
        endings: list[Ending] = []
        in_order = sorted(self._children.values(), key=_stop_group)
        for _, members in groupby(in_order, key=_stop_group):
            endings += self._stop_together(list(members))
        return endings

    def kill_all(self) -> None:
        """End everything at once; may be called from a signal handler while `stop` waits."""
        self._in_haste = True
        for child in self._children.values():
            child.kill_group()

    def _stop_together(self, members: list[Child]) -> list[Ending]:
        for child in members:
            child.ask_to_stop()
        return [child.wait_for_end(0.0 if self._in_haste else child.spec.stop_seconds) for child in members]


def closing_table(endings: Sequence[Ending]) -> str:
    """One line a child: its name, exit code, seconds to stop, restarts, and what went wrong."""
    width = max((len(ending.name) for ending in endings), default=0)
    return "\n".join(_closing_line(ending, width) for ending in endings)


def _closing_line(ending: Ending, width: int) -> str:
    code = "?" if ending.exit_code is None else str(ending.exit_code)
    restarts = f"  restarted {ending.restarts}x" if ending.restarts else ""
    killed = "  killed: it did not stop within its budget" if ending.killed else ""
    return f"{ending.name:<{width}}  exit code {code:>3}  {ending.seconds:5.1f} s{restarts}{killed}"


def _stop_group(child: Child) -> int:
    return child.spec.stop_group
