"""`manage.py relay`: moves outbox events to their sink until it is stopped."""

from __future__ import annotations

import logging
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connections

from workers.conf import conf
from workers.drain import drain
from workers.relay import relay_batch, relay_until
from workers.sinks.choice import chosen_sink

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """SIGTERM lets the batch in hand end, marks it, and leaves."""

    help = "Moves outbox events to their sink: continuously, or until nothing is pending."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--until-empty", action="store_true", help="stop when nothing is pending")
        parser.add_argument("--batch-size", type=int, default=conf().outbox_batch_size, help="events in a transaction")

    def handle(self, *_args: Any, until_empty: bool, batch_size: int, **_options: Any) -> None:
        """Runs the relay; connections close last."""
        drain.on_signals()
        sink = chosen_sink()
        logger.info("relay started: sink %s, %d events a batch", conf().outbox_sink, batch_size)
        published = 0
        try:
            if until_empty:
                seconds = conf().outbox_send_seconds
                while not drain.should_stop() and (batch := relay_batch(sink, batch_size, seconds, _clock()).published):
                    published += batch
            else:
                published = relay_until(
                    drain,
                    sink,
                    size=batch_size,
                    send_seconds=conf().outbox_send_seconds,
                    poll_seconds=conf().outbox_poll_seconds,
                    clock=_clock,
                )
        finally:
            sink.close()
            connections.close_all()
        logger.info("relay stopped: %d events published", published)


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 the command is an entry point
