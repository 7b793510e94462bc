"""Which fire times still go when some have passed undispatched. Pure; instants are UTC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class CatchUp(StrEnum):
    """What becomes of fire times that passed while no beat could dispatch them."""

    SKIP = "skip"  # none of them goes; each is recorded as skipped
    LATEST = "latest"  # the last one goes, for all of them
    ALL = "all"  # each goes, oldest first, up to the limit


MIN_WINDOW = timedelta(minutes=1)
MAX_WINDOW = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class MisfirePolicy:
    """A schedule's rule for missed fire times.

    `window` is how long after its instant a fire time may still go; `on_time` is how late it may be and still count
    as not missed at all; `limit` caps how many go under ALL, and `pace` is the pause between two of them.
    """

    catch_up: CatchUp = CatchUp.LATEST
    window: timedelta = MAX_WINDOW
    on_time: timedelta = timedelta(seconds=5)
    limit: int = 100
    pace: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Decision:
    """Fire times by what becomes of them, each in order of time.

    Those that are `paced` go later, one after the other; nothing behind the last one that goes now is decided yet.
    """

    on_time: tuple[datetime, ...]
    catch_up: tuple[datetime, ...]
    skipped: tuple[datetime, ...]
    paced: tuple[datetime, ...] = ()


def default_window(period: timedelta) -> timedelta:
    """Half the period, at least a minute, at most twelve hours: late enough to matter, too early to mislead."""
    return min(max(period / 2, MIN_WINDOW), MAX_WINDOW)


def decide(due: Sequence[datetime], policy: MisfirePolicy, now: datetime) -> Decision:
    """Sorts the due fire times (in order, none after `now`) into those that go and those that do not."""
    on_time = tuple(instant for instant in due if now - instant <= policy.on_time)
    missed = tuple(instant for instant in due if now - instant > policy.on_time)
    going = _going(missed, policy, now, replaced=bool(on_time))
    if policy.pace and going:
        return _paced(going, on_time, missed)
    return Decision(on_time, going, tuple(instant for instant in missed if instant not in going))


def _going(
    missed: tuple[datetime, ...], policy: MisfirePolicy, now: datetime, *, replaced: bool
) -> tuple[datetime, ...]:
    eligible = tuple(instant for instant in missed if now - instant <= policy.window)
    if policy.catch_up is CatchUp.ALL:
        return eligible[-policy.limit :]
    if policy.catch_up is CatchUp.LATEST and not replaced:
        return eligible[-1:]
    return ()


def _paced(going: tuple[datetime, ...], on_time: tuple[datetime, ...], missed: tuple[datetime, ...]) -> Decision:
    """The oldest goes now; what falls due meanwhile goes behind the rest, in order."""
    skipped = tuple(instant for instant in missed if instant < going[0])
    return Decision((), going[:1], skipped, paced=(*going[1:], *on_time))
