"""Draws up the verdict from PostgreSQL and Kafka: `python -m scheduler_project.smoke.verify BEGAN ENDED`."""

from __future__ import annotations

import os
import sys
from datetime import datetime

import django

_LEAST_SHARE = 0.95


def main(arguments: list[str]) -> int:
    """Takes two ISO instants; prints each count and returns 1 when one is not as it must be."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
    django.setup()
    from scheduler_project.smoke import evidence  # noqa: PLC0415 models cannot be imported before setup

    began, ended = (datetime.fromisoformat(text) for text in arguments)
    slots = evidence.slots("slots", began, ended)
    _say(
        f"two-second slots: {slots.expected} expected, {slots.once} handed over once, {slots.unnoted} once by the "
        f"killed beat, {slots.more} more than once, {slots.skipped} skipped, {slots.missing} missing",
        well=slots.well,
    )
    runs = evidence.runs("slots", began, ended)
    _say(
        f"their account runs: {runs.expected} expected, {runs.ran} ran ({runs.share:.1%}), {runs.skipped} skipped "
        f"{runs.reasons or ''}, {runs.failed} failed, {runs.again} ran again, {runs.missing} missing",
        well=runs.well and runs.share >= _LEAST_SHARE,
    )
    overlaps = evidence.overlapping_runs()
    _say(f"runs of one account that overlapped: {overlaps}", well=not overlaps)
    events = evidence.events()
    _say(
        f"outbox events: {events.recorded} recorded, {events.in_kafka} messages in Kafka under {events.keys} keys, "
        f"{events.missing} missing, {events.unknown} unknown, {events.repeated} repeated under the same id, "
        f"{events.out_of_order} out of order",
        well=events.well,
    )
    well = slots.well and runs.well and runs.share >= _LEAST_SHARE and not overlaps and events.well
    return 0 if well else 1


def _say(text: str, *, well: bool) -> None:
    sys.stdout.write(f"smoke: {'ok  ' if well else 'BAD '} {text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
