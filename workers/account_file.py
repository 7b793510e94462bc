"""Accounts from a CSV file: the whole file is accepted and upserted by key in one transaction, or none of it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.db import transaction

from workers.account_rows import COLUMNS, Line, read_lines
from workers.models import Account

BATCH_ROWS = 5_000
_VALUES = tuple(column for column in COLUMNS if column != "key")


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many accounts of a file were new, different and already as the file has them."""

    created: int
    changed: int
    unchanged: int


def load(path: Path, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None) -> Loaded:
    """Upserts every account of the file; `progress` is told the rows done and the rows there are.

    Raises AccountsRefused, with nothing applied, for anything wrong in the file, and OSError when it cannot be read.
    """
    lines = read_lines(path)
    counts = [0, 0, 0]
    done = 0
    with transaction.atomic():
        for batch in _batches(lines):
            for position, count in enumerate(_upsert(batch, dry_run=dry_run)):
                counts[position] += count
            done += len(batch)
            if progress:
                progress(done, len(lines))
    return Loaded(*counts)


def _batches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    rest = iter(lines)
    while batch := list(islice(rest, BATCH_ROWS)):
        yield batch


def _upsert(batch: Sequence[Line], *, dry_run: bool) -> tuple[int, int, int]:
    stored = {account.key: account for account in Account.objects.filter(key__in=[line.account.key for line in batch])}
    for line in batch:
        if not line.says_enabled and line.account.key in stored:
            line.account.enabled = stored[line.account.key].enabled
    new = [line.account for line in batch if line.account.key not in stored]
    known = [line.account for line in batch if line.account.key in stored]
    changed = [account for account in known if _differs(account, stored[account.key])]
    if not dry_run:
        Account.objects.bulk_create(
            [*new, *changed], update_conflicts=True, unique_fields=["key"], update_fields=_VALUES
        )
    return len(new), len(changed), len(known) - len(changed)


def _differs(account: Account, stored: Account) -> bool:
    return any(getattr(account, name) != getattr(stored, name) for name in _VALUES)
