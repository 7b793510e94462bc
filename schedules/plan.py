"""The beat's memory: what is defined, when each fires next, and how far each has been dealt with. No I/O, no clock."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from schedules.definitions import Definition
from schedules.timing.rule import fire_times


@dataclass(frozen=True, slots=True)
class Due:
    """A schedule whose fire time has come, with every fire time not dealt with yet, in order."""

    definition: Definition
    fire_times: tuple[datetime, ...]


class Plan:
    """Definitions, a heap of next fire times, and for each schedule the instant up to which it is settled.

    A schedule's settled instant starts at its last slot in the ledger or, where later, at the last change of its row:
    a new or re-enabled schedule never fires for a time before it was there.
    """

    def __init__(self, last_slots: Mapping[str, datetime]) -> None:
        self._last_slots = dict(last_slots)
        self._definitions: dict[str, Definition] = {}
        self._settled: dict[str, datetime] = {}
        self._next: dict[str, datetime] = {}
        self._heap: list[tuple[datetime, str]] = []
        self._seen_until: datetime | None = None

    def __len__(self) -> int:
        return len(self._definitions)

    @property
    def next_fire_time(self) -> datetime | None:
        """The earliest fire time ahead, or overdue."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def refresh(self, definitions: Mapping[str, Definition], now: datetime) -> None:
        """Takes over what changed; the cost in Python follows the changes."""
        for name in self._definitions.keys() - definitions.keys():
            self._forget(name)
        for name, definition in definitions.items():
            known = self._definitions.get(name)
            if known == definition:
                continue
            self._definitions[name] = definition
            if known is None or known.rule != definition.rule:
                self._settle(name, self._start_of(definition))
        self._seen_until = now

    def take_due(self, now: datetime) -> list[Due]:
        """Every schedule with a fire time at or before `now`. Each must be settled, or it is due again at once."""
        self._drop_stale()
        due = []
        while self._heap and self._heap[0][0] <= now:
            _, name = heapq.heappop(self._heap)
            self._next.pop(name, None)
            due.append(self._due(name, now))
            self._drop_stale()
        return due

    def settle(self, due: Due, until: datetime) -> None:
        """Everything up to `until` is dealt with; a one-off has no more to come."""
        name = due.definition.name
        if due.definition.one_off:
            self._settled[name] = until
        else:
            self._settle(name, until)

    def put_back(self, due: Due) -> None:
        """Nothing was dealt with: it stays due."""
        self._settle(due.definition.name, self._settled[due.definition.name])

    def _due(self, name: str, now: datetime) -> Due:
        definition = self._definitions[name]
        oldest = now - definition.misfire.window - definition.misfire.on_time - timedelta(seconds=1)
        settled = self._settled[name]
        instants = tuple(fire_times(definition.rule, max(settled, oldest), now))
        # What was missed beyond the window is named once, so that the ledger can say why it did not run.
        instants = instants or tuple(islice(fire_times(definition.rule, settled, now), 1))
        return Due(definition, instants[:1] if definition.one_off else instants)

    def _start_of(self, definition: Definition) -> datetime:
        candidates = [definition.since, self._last_slots.pop(definition.name, None), self._seen_until]
        return max(instant for instant in candidates if instant is not None)

    def _settle(self, name: str, until: datetime) -> None:
        self._settled[name] = until
        fire_time = self._definitions[name].rule.next_after(until)
        if fire_time is None:
            self._next.pop(name, None)
            return
        self._next[name] = fire_time
        heapq.heappush(self._heap, (fire_time, name))

    def _forget(self, name: str) -> None:
        del self._definitions[name], self._settled[name]
        self._next.pop(name, None)

    def _drop_stale(self) -> None:
        while self._heap and self._next.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
