"""What a run is, whoever does it and however often: the identity that its lease and its idempotency key stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from schedules.stamp import Overlap, Stamp, idempotency_key
from workers.models.lease import Kind


@dataclass(frozen=True, slots=True)
class Identity:
    """What is run; texts are trimmed. `overlap_key` names whose runs exclude one another, None for nobody's.

    Raises ValueError for an empty or over-long code, a SCHEDULE without run key and an INITIAL with one.
    """

    code: str
    run_key: str = ""
    kind: Kind = Kind.SCHEDULE
    account: str = ""
    scheduled_for: datetime | None = None
    overlap_key: str | None = None
    idempotency_key: str = field(init=False)

    def __post_init__(self) -> None:
        for name in ("code", "run_key"):
            object.__setattr__(self, name, getattr(self, name).strip())
        if not self.code or len(self.code) > 200:
            raise ValueError(f"code {self.code!r} must have 1 to 200 characters")
        if (self.kind is Kind.SCHEDULE) != bool(self.run_key):
            raise ValueError(f"{self.kind} {self.code!r}: a SCHEDULE run needs a run key, an INITIAL one has none")
        object.__setattr__(self, "idempotency_key", idempotency_key(self.kind, self.code, self.run_key))

    @classmethod
    def of(cls, stamp: Stamp) -> Identity:
        """The identity of a stamped message's run."""
        return cls(
            code=stamp.schedule,
            run_key=stamp.slot_id,
            account=stamp.account,
            scheduled_for=stamp.scheduled_for,
            overlap_key=stamp.overlap_key if stamp.overlap is Overlap.SKIP else None,
        )
