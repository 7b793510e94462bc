"""`manage.py schedules`: apply a file of schedules, look ahead, read a crontab, run one now, pause and resume."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import BaseCommand, CommandError
from redis import RedisError

from schedules.handover import Outcome
from schedules.management.arguments import add_fire_time_arguments
from schedules.management.fire_times import as_json, as_lines
from schedules.manual import NotHandedOver, run_now
from schedules.registry.apply import Applied, apply
from schedules.registry.outlook import Forecast, Outlook, find, forecast, forecast_of, outlooks
from schedules.registry.problems import RegistryRefused, UnknownSchedule
from schedules.registry.switch import set_enabled
from schedules.timing.expression import read_expression
from schedules.timing.rule import InvalidRule
from schedules.timing.words import in_words


class Command(BaseCommand):
    """Thin: each action is a function of schedules.registry or schedules.manual."""

    help = "Applies, lists, previews, triggers, pauses and resumes schedules."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The actions and their options."""
        actions = parser.add_subparsers(dest="action", required=True)
        applying = actions.add_parser("apply", help="make the schedules of a YAML file stand; others are left alone")
        applying.add_argument("file", type=Path)
        applying.add_argument("--dry-run", action="store_true", help="check and compare, change nothing")
        listing = actions.add_parser("list", help="every schedule, its rule, next fire time and whether it can run")
        listing.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line")
        ahead = actions.add_parser("next", help="the next fire times of a schedule, in UTC and in its zone")
        add_fire_time_arguments(ahead, zone_help="show them in this zone; the schedule's own unless given", zone=None)
        reading = actions.add_parser("when", help="what a crontab means, and its next fire times")
        reading.add_argument("expression", help="5 fields, or 6 with the seconds first, quoted")
        reading.add_argument("--month-day", default="", help="only on this day of the month, as in 'last fri'")
        add_fire_time_arguments(reading, zone_help="the crontab's zone; UTC unless given", zone=ZoneInfo("UTC"))
        triggering = actions.add_parser("trigger", help="run a schedule once now, with its own options")
        pausing = actions.add_parser("pause", help="no slot of the schedule is dispatched until it is resumed")
        resuming = actions.add_parser("resume", help="dispatch it again, from now on")
        resuming.add_argument("--catch-up", action="store_true", help="what the pause left out counts as missed")
        for named in (ahead, triggering, pausing, resuming):
            named.add_argument("name")

    def handle(self, *_args: Any, action: str, **options: Any) -> None:
        """Raises CommandError for whatever is refused or could not be done."""
        try:
            getattr(self, f"_{action}")(options)
        except (RegistryRefused, UnknownSchedule, NotHandedOver, ImproperlyConfigured) as error:
            raise CommandError(str(error.args[0])) from error
        except OverflowError as error:
            raise CommandError("the calendar ends with the year 9999: ask for fewer or earlier fire times") from error
        except ValidationError as error:
            raise CommandError(f"schedule {options['name']!r} cannot run: {' '.join(error.messages)}") from error

    def _apply(self, options: dict[str, Any]) -> None:
        try:
            applied = apply(options["file"], dry_run=options["dry_run"])
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}") from error
        for line in _changes(applied):
            self.stdout.write(line)
        counts = f"{len(applied.created)} created, {len(applied.changed)} changed, {len(applied.unchanged)} unchanged"
        self.stdout.write(f"dry run, nothing applied: {counts}" if options["dry_run"] else counts)

    def _list(self, options: dict[str, Any]) -> None:
        for outlook in outlooks(_clock()):
            self.stdout.write(_as_json(asdict(outlook)) if options["as_json"] else _as_text(outlook))

    def _next(self, options: dict[str, Any]) -> None:
        row = find(options["name"])
        ahead = forecast(row, options["after"] or _clock(), options["count"], options["zone"])
        self._show(ahead, options)

    def _when(self, options: dict[str, Any]) -> None:
        try:
            rule = read_expression(options["expression"], options["zone"], options["month_day"])
        except InvalidRule as error:
            raise CommandError(str(error)) from error
        if not options["as_json"]:
            self.stdout.write(in_words(rule))
        self._show(forecast_of(rule, options["after"] or _clock(), options["count"], options["zone"]), options)

    def _show(self, ahead: Forecast, options: dict[str, Any]) -> None:
        for line in [as_json(ahead)] if options["as_json"] else as_lines(ahead):
            self.stdout.write(line)

    def _trigger(self, options: dict[str, Any]) -> None:
        row = find(options["name"])
        try:
            result = run_now(row, _clock())
        except ValueError as error:
            raise CommandError(f"schedule {row.name!r} cannot run: {error}") from error
        except RedisError as error:
            raise CommandError(f"schedule {row.name!r} was not run, Redis did not answer: {error}") from error
        if result.outcome is not Outcome.DISPATCHED:
            raise CommandError(f"schedule {row.name!r} was not run ({result.outcome}): {result.holder} had not ended")
        self.stdout.write(f"dispatched {result.order.stamp.slot_id}")

    def _pause(self, options: dict[str, Any]) -> None:
        changed = set_enabled(find(options["name"]), enabled=False)
        self.stdout.write(f"{options['name']} {'is paused' if changed else 'was paused already'}")

    def _resume(self, options: dict[str, Any]) -> None:
        changed = set_enabled(find(options["name"]), enabled=True, catch_up=options["catch_up"])
        self.stdout.write(f"{options['name']} {'is resumed' if changed else 'was not paused'}")


def _changes(applied: Applied) -> list[str]:
    created = [f"created {name}" for name in applied.created]
    return [*created, *(f"changed {name}: {', '.join(fields)}" for name, fields in applied.changed.items())]


def _as_json(values: dict[str, Any]) -> str:
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
    return json.dumps(plain, ensure_ascii=False)


def _as_text(outlook: Outlook) -> str:
    ahead = f"{outlook.next_fire_time:%Y-%m-%d %H:%M:%S} UTC" if outlook.next_fire_time else "-"
    state = "enabled" if outlook.enabled else "paused"
    problem = f"   INVALID: {outlook.problem}" if outlook.problem else ""
    return f"{outlook.name:<24} {state:<8} {ahead:<24} {outlook.rule}{problem}"


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 the command is an entry point
