"""`manage.py status`: beats, slots, queues, outbox and Kafka on one page."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from scheduler_project.status import Section, gather


class Command(BaseCommand):
    """Exits with 1 when a part cannot be reached or no beat is alive."""

    help = "Show beats alive, next and last slots, queue lengths, the outbox backlog and what Kafka holds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Gathers and prints."""
        sections = gather(datetime.now(UTC))  # noqa: TID251 the command is an entry point
        if options["json"]:
            self.stdout.write(json.dumps({section.title: section.as_json() for section in sections}, indent=2))
        else:
            self._print(sections)
        trouble = [section.title for section in sections if not section.well]
        if not any(section.title == "beats" and section.rows for section in sections):
            trouble.append("no beat is alive")
        if trouble:
            raise CommandError(f"not well: {', '.join(trouble)}")

    def _print(self, sections: list[Section]) -> None:
        console = Console(file=cast(IO[str], self.stdout))
        for section in sections:
            if section.problem:
                console.print(f"[bold]{section.title}[/bold]: ", end="")
                console.print(section.problem, markup=False)
                continue
            table = Table(
                title=section.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1)
            )
            for name in section.columns:
                table.add_column(name, no_wrap=True)
            for row in section.rows:
                table.add_row(*(_text(cell) for cell in row))
            console.print(table)


def _text(cell: Any) -> str:
    if isinstance(cell, datetime):
        return cell.strftime("%m-%d %H:%M:%SZ")
    return f"{cell:.1f}" if isinstance(cell, float) else str(cell)
