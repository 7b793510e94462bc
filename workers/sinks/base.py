"""Where events go: one interface, one file a sink, one conformance suite over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class OutgoingEvent:
    """One event on its way; `position` is its order, `event_id` what consumers deduplicate by."""

    position: int
    event_id: UUID
    topic: str
    key: str
    payload: Any
    headers: Mapping[str, str]


class SinkDown(RuntimeError):
    """The sink cannot be reached, or did not answer in time: nothing is known of the batch, no event is to blame."""


class Sink(Protocol):
    """Takes batches of events, in order of position."""

    def send(self, events: Sequence[OutgoingEvent], seconds: float) -> dict[int, str]:
        """Sends all within `seconds`; returns the refused ones, position to reason, the rest is confirmed.

        After a refused event no later one of its topic and key is sent; these are left out of what is confirmed by
        being returned too. Raises SinkDown.
        """

    def close(self) -> None:
        """Ends the connection; nothing is in flight after `send`."""


WAITS = "an earlier event of its key was refused"
