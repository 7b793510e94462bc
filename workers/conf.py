"""The settings of `workers` and their defaults; a project overrides them in its Django settings."""

from __future__ import annotations

from dataclasses import dataclass, fields

from django.conf import settings

PREFIX = "SLOTBEAT_"


@dataclass(frozen=True, slots=True)
class Conf:
    """Each field is the setting SLOTBEAT_<FIELD>; the unit stands in the name."""

    redis_url: str = ""  # overlap marks, and the Redis sink
    kafka_bootstrap_servers: str = ""  # the Kafka sink
    feed_base_url: str = ""  # what an account's endpoint starts from when it is a path
    drain_seconds: float = 45.0  # how long a stopping process may take for what it has begun
    account_queue: str = "accounts"  # where a fan-out puts its runs
    fan_out_chunk: int = 200  # accounts read, guarded and published at once
    outbox_sink: str = "kafka"  # where the relay takes events: kafka or redis
    outbox_batch_size: int = 50  # events in one relay transaction
    outbox_poll_seconds: float = 0.2  # the relay's pause when nothing is pending
    outbox_send_seconds: float = 10.0  # the longest a sink may take for a batch
    outbox_max_bytes: int = 1_000_000  # the largest payload of an event
    outbox_retention_days: float = 7.0  # published events are kept so long
    run_retention_days: float = 7.0  # ended runs and slots are kept so long
    run_commands: tuple[str, ...] = ("housekeeping",)  # management commands that run_command may run


def conf() -> Conf:
    """The settings as they are now."""
    found = {
        field.name: getattr(settings, PREFIX + field.name.upper())
        for field in fields(Conf)
        if hasattr(settings, PREFIX + field.name.upper())
    }
    return Conf(**found)
