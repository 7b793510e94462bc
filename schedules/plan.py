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
    """A schedule whose fire time has come, with every fire time up to `until` not dealt with yet, in order.

    `until` lies behind the present by the schedule's jitter. At most `runs_left` more runs may go, if that is limited.
    """

    definition: Definition
    fire_times: tuple[datetime, ...]
    until: datetime
    runs_left: int | None = None


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
        self._runs: dict[str, int] = {}
        self._heap: list[tuple[datetime, str]] = []
        self._seen_until: datetime | None = None
        self._asked: set[tuple[str, datetime]] = set()

    def __len__(self) -> int:
        return len(self._definitions)

    @property
    def next_fire_time(self) -> datetime | None:
        """When the next slot is to be handed over: its fire time and its schedule's jitter; it may be overdue."""
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
            if known is None:
                self._runs[name] = definition.runs_before
            if known is None or known.rule != definition.rule:
                self._settle(name, self._start_of(definition, is_new=known is None))
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

    def settle(
        self, due: Due, runs: int = 0, *, until: datetime | None = None, again_at: datetime | None = None
    ) -> None:
        """Everything up to `until` (else all that was due) is dealt with, `runs` of it went.

        A one-off has no more to come, nor has a schedule that has had all its runs. `again_at` holds the rest back.
        """
        name = due.definition.name
        self._runs[name] += runs
        settled = until or due.until
        if due.definition.one_off or self._runs_left(due.definition) == 0:
            self._settled[name] = settled
        else:
            self._settle(name, settled, again_at)

    def put_back(self, due: Due) -> None:
        """Nothing was dealt with: it stays due."""
        self._settle(due.definition.name, self._settled[due.definition.name])

    def _due(self, name: str, now: datetime) -> Due:
        definition = self._definitions[name]
        until = now - definition.jitter
        oldest = until - definition.misfire.window - definition.misfire.on_time - timedelta(seconds=1)
        settled = self._settled[name]
        instants = tuple(fire_times(definition.rule, max(settled, oldest), until))
        # What was missed beyond the window is named once, so that the ledger can say why it did not run.
        instants = instants or tuple(islice(fire_times(definition.rule, settled, until), 1))
        return Due(definition, instants[:1] if definition.one_off else instants, until, self._runs_left(definition))

    def _runs_left(self, definition: Definition) -> int | None:
        if definition.max_runs is None:
            return None
        return max(0, definition.max_runs - self._runs[definition.name])

    def _start_of(self, definition: Definition, *, is_new: bool) -> datetime:
        last_slot = self._last_slots.pop(definition.name, None)
        asked_from = self._asked_from(definition) if is_new else None
        candidates = [asked_from or definition.since, last_slot, None if asked_from else self._seen_until]
        return max(instant for instant in candidates if instant is not None)

    def _asked_from(self, definition: Definition) -> datetime | None:
        """What a resume asked for counts once: rows may be switched off and on again without being saved."""
        if definition.asked_from is None or (definition.name, definition.asked_from) in self._asked:
            return None
        self._asked.add((definition.name, definition.asked_from))
        return definition.asked_from

    def _settle(self, name: str, until: datetime, again_at: datetime | None = None) -> None:
        self._settled[name] = until
        definition = self._definitions[name]
        fire_time = definition.rule.next_after(until)
        if fire_time is None or self._runs_left(definition) == 0:
            self._next.pop(name, None)
            return
        due_at = max(fire_time + definition.jitter, again_at or fire_time)
        self._next[name] = due_at
        heapq.heappush(self._heap, (due_at, name))

    def _forget(self, name: str) -> None:
        del self._definitions[name], self._settled[name], self._runs[name]
        self._next.pop(name, None)

    def _drop_stale(self) -> None:
        while self._heap and self._next.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
