"""`accounts load` and `accounts list`: a file is applied whole or not at all."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.runs import account
from workers.models import Account

pytestmark = pytest.mark.django_db

SAMPLE = Path(__file__).parents[3] / "examples" / "accounts.csv"
HEADER = "key,tenant,name,endpoint,secret_name,enabled\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "accounts.csv"


def accounts(*arguments: str) -> str:
    out = StringIO()
    call_command("accounts", *arguments, stdout=out)
    return out.getvalue().strip()


def load(file: Path, content: str = "", *options: str) -> str:
    if content:
        file.write_text(HEADER + content, encoding="utf-8")
    return accounts("load", str(file), *options)


def test_the_sample_holds_a_hundred_accounts_of_eight_unequal_tenants() -> None:
    assert load(SAMPLE) == "100 created, 0 changed, 0 unchanged"
    assert load(SAMPLE) == "0 created, 0 changed, 100 unchanged"
    tenants = list(Account.objects.values_list("tenant", flat=True))
    assert sorted(map(tenants.count, set(tenants))) == [1, 4, 5, 8, 10, 12, 20, 40]
    assert Account.objects.get(key="acme-001").endpoint == "/acme/acme-001"


def test_only_what_differs_is_changed_and_others_are_left_alone(file: Path) -> None:
    other = account("other")
    load(file, "a,acme,A,/a,,\nb,acme,B,/b,,\n")
    assert load(file, "a,acme,A,/a,,\nb,acme,B,/b2,KEY,no\nc,acme,,/c,,no\n") == "1 created, 1 changed, 1 unchanged"
    stored = {each.key: (each.endpoint, each.secret_name, each.enabled) for each in Account.objects.all()}
    assert stored == {
        "a": ("/a", "", True),
        "b": ("/b2", "KEY", False),
        "c": ("/c", "", False),
        "other": (other.endpoint, "", True),
    }


def test_an_empty_enabled_leaves_a_paused_account_paused(file: Path) -> None:
    account("a", enabled=False)
    assert load(file, "a,acme,,/acme/a,,\n") == "0 created, 0 changed, 1 unchanged"
    assert load(file, "a,acme,,/acme/a,,yes\n") == "0 created, 1 changed, 0 unchanged"
    assert Account.objects.get(key="a").enabled


def test_a_dry_run_tells_and_changes_nothing(file: Path) -> None:
    account("a")
    told = load(file, "a,acme,New,/a,,\nb,acme,,/b,,\n", "--dry-run")
    assert told == "dry run, nothing applied: 1 created, 1 changed, 0 unchanged"
    assert list(Account.objects.values_list("key", "name")) == [("a", "")]


def test_one_bad_row_and_nothing_of_the_file_is_applied(file: Path) -> None:
    with pytest.raises(
        CommandError, match=r"accounts.csv:3: endpoint: .*give a URL(?s:.*)nothing was applied"
    ) as caught:
        load(file, "a,acme,,/a,,\nb,acme,,nowhere,,\n")
    assert caught.value.returncode == 1
    assert not Account.objects.exists()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.csv cannot be read: No such file"):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(CommandError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_many_rows_cost_a_few_statements(file: Path) -> None:
    rows = 12_000
    file.write_text(HEADER + "".join(f"k{number},acme,,/k{number},,\n" for number in range(rows)))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert load(file) == f"{rows} created, 0 changed, 0 unchanged"
    assert len(queries) < 40
    assert Account.objects.count() == rows


def test_the_list_is_in_order_and_by_tenant() -> None:
    account("b", enabled=False)
    account("a", tenant="borealis", name="Á")
    text = accounts("list").splitlines()
    assert [line.split()[:3] for line in text] == [["a", "borealis", "enabled"], ["b", "acme", "paused"]]
    (only,) = accounts("list", "--tenant", "borealis", "--json").splitlines()
    assert json.loads(only) == {
        "key": "a",
        "tenant": "borealis",
        "name": "Á",
        "endpoint": "/acme/a",
        "secret_name": "",
        "enabled": True,
    }
