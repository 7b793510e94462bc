"""The sandbox's rate limit: so many requests a second for each account, as marketplaces have it."""

from __future__ import annotations

import threading

_MOST_ACCOUNTS = 100_000


class RateLimit:
    """A bucket of `per_second` requests per account that refills evenly; safe for threads."""

    def __init__(self, per_second: float = 20) -> None:
        self._per_second = per_second
        self._buckets: dict[str, tuple[float, float]] = {}
        self._guard = threading.Lock()

    def allows(self, account: str, now: float) -> bool:
        """Takes one request from the account's bucket at the monotonic second `now`; False when it is empty."""
        with self._guard:
            if len(self._buckets) > _MOST_ACCOUNTS:
                self._buckets.clear()
            left, since = self._buckets.get(account, (self._per_second, now))
            left = min(self._per_second, left + (now - since) * self._per_second)
            self._buckets[account] = (left - 1 if left >= 1 else left, now)
            return left >= 1
