"""`manage.py accounts`: whom fan-outs run for, loaded from a file and listed."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from workers.account_file import load
from workers.account_rows import COLUMNS, AccountsRefused
from workers.models import Account


class Command(BaseCommand):
    """Thin: the work is done in workers.account_file."""

    help = "Loads accounts from a CSV file, or lists them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The actions and their options."""
        actions = parser.add_subparsers(dest="action", required=True)
        loading = actions.add_parser("load", help=f"upsert accounts by key; columns {','.join(COLUMNS)}")
        loading.add_argument("file", type=Path)
        loading.add_argument("--dry-run", action="store_true", help="check and compare, change nothing")
        listing = actions.add_parser("list", help="show the accounts in order of their keys")
        listing.add_argument("--tenant", default="", help="only those of this tenant")
        listing.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")

    def handle(self, *_args: Any, action: str, **options: Any) -> None:
        """Raises CommandError for a file that is refused."""
        if action == "load":
            self._load(options["file"], dry_run=options["dry_run"])
        else:
            self._list(options["tenant"], as_json=options["as_json"])

    def _load(self, file: Path, *, dry_run: bool) -> None:
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("accounts", total=None)
            try:
                loaded = load(
                    file, dry_run=dry_run, progress=lambda n, total: bar.update(task, completed=n, total=total)
                )
            except AccountsRefused as error:
                raise CommandError(str(error)) from error
            except OSError as error:
                raise CommandError(f"{file} cannot be read: {error.strerror}") from error
        ahead = "dry run, nothing applied: " if dry_run else ""
        self.stdout.write(f"{ahead}{loaded.created} created, {loaded.changed} changed, {loaded.unchanged} unchanged")

    def _list(self, tenant: str, *, as_json: bool) -> None:
        accounts = Account.objects.order_by("key")
        if tenant:
            accounts = accounts.filter(tenant=tenant)
        for row in accounts.values(*COLUMNS).iterator():
            self.stdout.write(json.dumps(row, ensure_ascii=False) if as_json else _as_text(row))


def _as_text(row: dict[str, Any]) -> str:
    state = "enabled" if row["enabled"] else "paused"
    return f"{row['key']:<24} {row['tenant']:<16} {state:<8} {row['endpoint']}"
