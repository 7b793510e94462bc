"""The gate before the broker: each slot is claimed once, and an unfinished earlier run holds the next one back.

A slot's key is `claim:OWNER` for a few seconds, then `sent` for longer than any catch-up window. A claim whose owner
died runs out and another beat retakes the slot under the same id. The overlap mark of a schedule (and account) names
the slot that is queued or running; it lives as long as the run's lease and is cleared when the run ends. Every key is
written together with its end: nothing here can stay for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from redis import Redis

from schedules.conf import Conf
from schedules.stamp import Overlap, Stamp


class Verdict(StrEnum):
    """What the guard says to a claim."""

    WON = "won"  # hand it over, then confirm
    HELD = "held"  # somebody else's claim; it may still run out
    SENT = "sent"  # handed over already
    OVERLAP = "overlap"  # the earlier run has not ended


@dataclass(frozen=True, slots=True)
class Claim:
    """A verdict; `holder` is the slot id of the run that stands in the way, for OVERLAP."""

    verdict: Verdict
    holder: str = ""


_CLAIM = """
local owner, claim_ms, sent_ms = ARGV[1], ARGV[2], ARGV[3]
local verdicts, won = {}, {}
for i = 1, #KEYS, 2 do
  local slot_key, mark_key = KEYS[i], KEYS[i + 1]
  local n = (i - 1) / 2
  local slot_id, gated = ARGV[4 + 2 * n], ARGV[5 + 2 * n] == '1'
  local state = redis.call('GET', slot_key)
  local holder = gated and redis.call('GET', mark_key)
  if state and state:sub(1, 8) == 'overlap:' then
    verdicts[#verdicts + 1] = state
  elseif state == 'sent' then
    verdicts[#verdicts + 1] = 'sent'
  elseif state and (state ~= 'claim:' .. owner or won[slot_id]) then
    verdicts[#verdicts + 1] = 'held'
  elseif holder and holder ~= slot_id then
    redis.call('SET', slot_key, 'overlap:' .. holder, 'PX', sent_ms)
    verdicts[#verdicts + 1] = 'overlap:' .. holder
  else
    redis.call('SET', slot_key, 'claim:' .. owner, 'PX', claim_ms)
    if gated then redis.call('SET', mark_key, slot_id, 'PX', claim_ms) end
    verdicts[#verdicts + 1], won[slot_id] = 'won', true
  end
end
return verdicts
"""

_CONFIRM = """
local owner, sent_ms = ARGV[1], ARGV[2]
local confirmed = 0
for i = 1, #KEYS, 2 do
  local n = (i - 1) / 2
  local slot_id, mark_ms = ARGV[3 + 2 * n], ARGV[4 + 2 * n]
  local state = redis.call('GET', KEYS[i])
  if state == false or state == 'claim:' .. owner then
    redis.call('SET', KEYS[i], 'sent', 'PX', sent_ms)
    confirmed = confirmed + 1
  end
  if mark_ms ~= '0' and redis.call('GET', KEYS[i + 1]) == slot_id then
    redis.call('PEXPIRE', KEYS[i + 1], mark_ms)
  end
end
return confirmed
"""

_RELEASE = """
local owner = ARGV[1]
for i = 1, #KEYS, 2 do
  if redis.call('GET', KEYS[i]) == 'claim:' .. owner then
    redis.call('DEL', KEYS[i])
    if redis.call('GET', KEYS[i + 1]) == ARGV[2 + (i - 1) / 2] then redis.call('DEL', KEYS[i + 1]) end
  end
end
"""

_CLEAR = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Guard:
    """The guard of one owner: `owner` is random per process, so no two processes share a claim."""

    def __init__(self, redis: Redis, owner: str, conf: Conf) -> None:
        self._prefix = conf.key_prefix
        self._owner = owner
        self._claim_ms = _milliseconds(conf.claim_seconds)
        self._sent_ms = _milliseconds(conf.confirm_seconds)
        self._claim = redis.register_script(_CLAIM)
        self._confirm = redis.register_script(_CONFIRM)
        self._release = redis.register_script(_RELEASE)
        self._clear = redis.register_script(_CLEAR)

    def claim(self, stamps: Sequence[Stamp]) -> list[Claim]:
        """One round trip for all. Raises redis.RedisError when the server cannot be asked."""
        if not stamps:
            return []
        arguments: list[str | int] = [self._owner, self._claim_ms, self._sent_ms]
        for stamp in stamps:
            arguments += [stamp.slot_id, int(stamp.overlap is Overlap.SKIP)]
        return [_read(verdict) for verdict in self._claim(keys=self._keys(stamps), args=arguments)]

    def confirm(self, stamps: Sequence[Stamp]) -> int:
        """Marks published slots as sent; how many were still this owner's (or free) is returned."""
        if not stamps:
            return 0
        arguments: list[str | int] = [self._owner, self._sent_ms]
        for stamp in stamps:
            mark_ms = _milliseconds(stamp.lease_seconds) if stamp.overlap is Overlap.SKIP else 0
            arguments += [stamp.slot_id, mark_ms]
        return int(self._confirm(keys=self._keys(stamps), args=arguments))

    def release(self, stamps: Sequence[Stamp]) -> None:
        """Gives claims back that were not published; only this owner's."""
        if stamps:
            self._release(keys=self._keys(stamps), args=[self._owner, *(stamp.slot_id for stamp in stamps)])

    def clear_mark(self, stamp: Stamp) -> None:
        """Ends the overlap mark of a run that has ended; another run's mark is left alone."""
        self._clear(keys=[self._mark_key(stamp)], args=[stamp.slot_id])

    def _keys(self, stamps: Sequence[Stamp]) -> list[str]:
        return [key for stamp in stamps for key in (self._slot_key(stamp), self._mark_key(stamp))]

    def _slot_key(self, stamp: Stamp) -> str:
        return f"{self._prefix}:slot:{stamp.slot_id}"

    def _mark_key(self, stamp: Stamp) -> str:
        return f"{self._prefix}:mark:{stamp.overlap_key}"


def _read(verdict: str) -> Claim:
    word, _, holder = verdict.partition(":")
    return Claim(Verdict(word), holder)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
