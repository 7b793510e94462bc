"""Where accounts come from: keys in a stable order behind a cursor, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.models import Account


@dataclass(frozen=True, slots=True)
class AccountKey:
    """An account in a fan-out: its key, and its place in the order."""

    position: int
    key: str


def chunks(size: int, *, after: int = 0, tenant: str = "") -> Iterator[Sequence[AccountKey]]:
    """The enabled accounts (of one tenant, if named) behind position `after`, `size` at a time."""
    while True:
        accounts = Account.objects.filter(enabled=True, id__gt=after).order_by("id")
        if tenant:
            accounts = accounts.filter(tenant=tenant)
        rows = [AccountKey(position, key) for position, key in accounts.values_list("id", "key")[:size]]
        if not rows:
            return
        yield rows
        after = rows[-1].position
