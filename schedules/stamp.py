"""The frozen value a message carries: what identifies a firing, and what its execution must know.

Pure. Made by the beat (or the fan-out), read by the worker; nothing else crosses the process boundary.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

HEADER = "slotbeat"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_INSTANT = re.compile(r"-?\d+|manual-[0-9a-f]+")


class Trigger(StrEnum):
    """Why a run exists."""

    SCHEDULE = "schedule"  # its fire time came
    CATCHUP = "catchup"  # its fire time had passed while no beat dispatched it
    MANUAL = "manual"  # a person asked for it; it has an id of its own
    BACKFILL = "backfill"  # a past range was asked for; it reuses the ids of the missed slots


class Overlap(StrEnum):
    """What happens when the earlier run of the same schedule (and account) is still queued or running."""

    SKIP = "skip"  # the later run is skipped and recorded
    ALLOW_ALL = "allow_all"  # both run


class NotAStamp(ValueError):
    """The headers of a message hold something under our name that is not a stamp."""


def epoch_ms(instant: datetime) -> int:
    """Milliseconds since 1970 in UTC; instants are stored and compared at this resolution."""
    return (instant - _EPOCH) // _MILLISECOND


def from_epoch_ms(milliseconds: int) -> datetime:
    """The UTC instant of `epoch_ms`."""
    return _EPOCH + milliseconds * _MILLISECOND


def _escape(field: str) -> str:
    return field.replace("%", "%25").replace(":", "%3A")


def _unescape(field: str) -> str:
    return field.replace("%3A", ":").replace("%25", "%")


def slot_id(schedule: str, scheduled_for: datetime, account: str = "") -> str:
    """The deterministic id of a slot: schedule, account if any, and instant, joined by `:`.

    Injective: `:` and `%` inside a field are percent-encoded, so no two (schedule, account, instant) share an id.
    """
    return _join(schedule, account, str(epoch_ms(scheduled_for)))


def manual_id(schedule: str, token: str, account: str = "") -> str:
    """The id of a run a person asked for; `token` is lower-case hex, fresh for every request."""
    return _join(schedule, account, f"manual-{token}")


def account_id(umbrella_id: str, account: str) -> str:
    """The id of one account's run under the slot `umbrella_id`.

    Raises ValueError when `umbrella_id` is not an umbrella's slot id.
    """
    schedule, of_account, instant = parse_id(umbrella_id)
    if of_account:
        raise ValueError(f"slot id {umbrella_id!r} already names account {of_account!r}: it is not an umbrella's")
    return _join(schedule, account, instant)


def parse_id(text: str) -> tuple[str, str, str]:
    """The schedule, the account (empty if none) and the instant part of a slot id.

    Raises ValueError when `text` is no slot id.
    """
    parts = text.split(":")
    if len(parts) not in (2, 3) or not _INSTANT.fullmatch(parts[-1]):
        raise ValueError(f"{text!r} is not a slot id: expected NAME:INSTANT or NAME:ACCOUNT:INSTANT")
    account = _unescape(parts[1]) if len(parts) == 3 else ""
    return _unescape(parts[0]), account, parts[-1]


def _join(schedule: str, account: str, instant: str) -> str:
    fields = [_escape(schedule), _escape(account), instant] if account else [_escape(schedule), instant]
    return ":".join(fields)


def idempotency_key(kind: str, code: str, run_key: str) -> str:
    """`v2:` and the SHA-256 of the trimmed identity: the same for every attempt at the same logical run.

    Raises ValueError when the code is empty.
    """
    identity = [part.strip() for part in (kind, code, run_key)]
    if not identity[1]:
        raise ValueError("a run needs a code: the name of what runs")
    digest = hashlib.sha256(json.dumps(identity, ensure_ascii=True).encode()).hexdigest()
    return f"v2:{digest}"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a message says about its slot. Instants are UTC; `lease_seconds` is the life of the run's lease."""

    slot_id: str
    schedule: str
    scheduled_for: datetime
    trigger: Trigger = Trigger.SCHEDULE
    account: str = ""
    overlap: Overlap = Overlap.SKIP
    deadline: datetime | None = None
    lease_seconds: int = 900

    @property
    def idempotency_key(self) -> str:
        """The key of the logical run, see `idempotency_key`."""
        return idempotency_key("SCHEDULE", self.schedule, self.slot_id)

    @property
    def overlap_key(self) -> str:
        """Whose runs must not overlap: this schedule's, or this schedule's for this account."""
        return f"{_escape(self.schedule)}:{_escape(self.account)}"

    def for_account(self, account: str) -> Stamp:
        """The stamp of one account's run under this umbrella."""
        return Stamp(
            slot_id=account_id(self.slot_id, account),
            schedule=self.schedule,
            scheduled_for=self.scheduled_for,
            trigger=self.trigger,
            account=account,
            overlap=self.overlap,
            deadline=self.deadline,
            lease_seconds=self.lease_seconds,
        )

    def to_headers(self) -> dict[str, Any]:
        """Message headers: one entry, JSON values only."""
        return {
            HEADER: {
                "slot_id": self.slot_id,
                "schedule": self.schedule,
                "scheduled_for_ms": epoch_ms(self.scheduled_for),
                "trigger": str(self.trigger),
                "account": self.account,
                "overlap": str(self.overlap),
                "deadline_ms": None if self.deadline is None else epoch_ms(self.deadline),
                "lease_seconds": self.lease_seconds,
                "idempotency_key": self.idempotency_key,
            }
        }

    @classmethod
    def from_headers(cls, headers: Mapping[str, Any] | None) -> Stamp | None:
        """The stamp of a message, None if it carries none. Raises NotAStamp when it cannot be read."""
        fields = (headers or {}).get(HEADER)
        if fields is None:
            return None
        try:
            deadline = fields["deadline_ms"]
            return cls(
                slot_id=fields["slot_id"],
                schedule=fields["schedule"],
                scheduled_for=from_epoch_ms(fields["scheduled_for_ms"]),
                trigger=Trigger(fields["trigger"]),
                account=fields["account"],
                overlap=Overlap(fields["overlap"]),
                deadline=None if deadline is None else from_epoch_ms(deadline),
                lease_seconds=fields["lease_seconds"],
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise NotAStamp(f"header {HEADER!r} is not a stamp ({error!r}): {fields!r}") from error
