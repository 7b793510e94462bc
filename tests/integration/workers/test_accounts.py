"""Accounts come in a stable order, a chunk at a time, behind a cursor."""

from __future__ import annotations

import pytest

from workers.accounts import chunks
from workers.models import Account

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ten_accounts() -> list[Account]:
    return [
        Account.objects.create(key=f"a{number}", tenant=f"t{number % 2}", endpoint="/a", enabled=number != 4)
        for number in range(10)
    ]


def keys(size: int, *, after: int = 0, tenant: str = "") -> list[list[str]]:
    return [[account.key for account in chunk] for chunk in chunks(size, after=after, tenant=tenant)]


def test_enabled_accounts_come_in_chunks_in_order() -> None:
    assert keys(4) == [["a0", "a1", "a2", "a3"], ["a5", "a6", "a7", "a8"], ["a9"]]


def test_an_even_last_chunk_is_not_followed_by_an_empty_one() -> None:
    assert keys(3) == [["a0", "a1", "a2"], ["a3", "a5", "a6"], ["a7", "a8", "a9"]]


def test_behind_a_cursor_come_the_later_ones(ten_accounts: list[Account]) -> None:
    assert keys(10, after=ten_accounts[7].id) == [["a8", "a9"]]
    assert keys(10, after=ten_accounts[9].id) == []


def test_of_one_tenant_come_its_own() -> None:
    assert keys(2, tenant="t0") == [["a0", "a2"], ["a6", "a8"]]
    assert keys(2, tenant="none") == []


def test_positions_are_cursors(ten_accounts: list[Account]) -> None:
    first = next(iter(chunks(3)))
    assert [account.position for account in first] == [account.id for account in ten_accounts[:3]]


def test_an_account_disabled_between_two_chunks_is_left_out() -> None:
    source = chunks(4)
    next(source)
    Account.objects.filter(key="a6").update(enabled=False)
    assert [account.key for account in next(source)] == ["a5", "a7", "a8", "a9"]
