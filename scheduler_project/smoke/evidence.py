"""What PostgreSQL and Kafka know of a smoke run, as counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from scheduler_project.kafka_reader import KafkaMessage, KafkaReader
from schedules.models import Slot
from schedules.timing.interval import Interval
from schedules.timing.rule import fire_times
from workers.models import Account, EventState, Lease, LeaseState, OutboxEvent

STEP = timedelta(seconds=2)

_OVERLAPS = """
SELECT count(*) FROM (
  SELECT acquired_at, lag(finished_at) OVER (PARTITION BY code, account ORDER BY acquired_at) AS earlier_ended
  FROM workers_lease WHERE account <> '' AND state <> 'SKIPPED'
) AS run WHERE earlier_ended > acquired_at
"""


@dataclass(frozen=True, slots=True)
class Slots:
    """The two-second slots of a span: how many there must be, and how often each was handed over."""

    expected: int
    once: int
    unnoted: int
    more: int
    missing: int
    skipped: int

    @property
    def well(self) -> bool:
        """Each handed over exactly once; a killed beat may not have come to note one, which its run proves."""
        return self.expected > 0 and self.once + self.unnoted == self.expected


@dataclass(frozen=True, slots=True)
class Runs:
    """The account runs of those slots."""

    expected: int
    ran: int
    skipped: int
    reasons: dict[str, int]
    failed: int
    again: int
    missing: int

    @property
    def share(self) -> float:
        """Which part ran."""
        return self.ran / self.expected if self.expected else 0.0

    @property
    def well(self) -> bool:
        """Each ran once or was skipped for a recorded reason."""
        return not self.failed and not self.again and not self.missing and self.ran + self.skipped == self.expected


@dataclass(frozen=True, slots=True)
class Events:
    """The outbox beside Kafka."""

    recorded: int
    in_kafka: int
    missing: int
    unknown: int
    repeated: int
    keys: int
    out_of_order: int

    @property
    def well(self) -> bool:
        """Each is there, in the order of its key; a repetition has the same id and so is not unknown."""
        return self.recorded > 0 and not (self.missing or self.unknown or self.out_of_order)


def slots(name: str, began: datetime, ended: datetime) -> Slots:
    """The slots of the two-second schedule `name` with a fire time in (began, ended]."""
    expected = set(fire_times(Interval(STEP), began, ended))
    rows = {slot.scheduled_for: slot for slot in Slot.objects.filter(schedule=name, scheduled_for__in=expected)}
    sent = [slot for slot in rows.values() if slot.state != "skipped"]
    return Slots(
        expected=len(expected),
        once=sum(slot.dispatches == 1 for slot in sent),
        unnoted=sum(slot.dispatches == 0 and slot.state == "done" for slot in sent),
        more=sum(slot.dispatches > 1 for slot in sent),
        missing=len(expected - rows.keys()),
        skipped=len(rows) - len(sent),
    )


def runs(name: str, began: datetime, ended: datetime) -> Runs:
    """The runs of every enabled account under those slots."""
    instants = set(fire_times(Interval(STEP), began, ended))
    accounts = Account.objects.filter(enabled=True).count()
    rows = Lease.objects.filter(code=name, scheduled_for__in=instants).exclude(account="")
    states = Counter(rows.values_list("state", flat=True))
    reasons = Counter(rows.filter(state=LeaseState.SKIPPED).values_list("reason", flat=True))
    return Runs(
        expected=len(instants) * accounts,
        ran=states[LeaseState.SUCCESS],
        skipped=sum(count for reason, count in reasons.items() if reason),
        reasons=dict(reasons),
        failed=states[LeaseState.FAIL] + states[LeaseState.RUNNING],
        again=rows.filter(attempts__gt=1).count(),
        missing=len(instants) * accounts - rows.count(),
    )


def overlapping_runs() -> int:
    """Runs of one schedule and account that began before the earlier one had ended."""
    with connection.cursor() as cursor:
        cursor.execute(_OVERLAPS)
        return int(cursor.fetchone()[0])


def events() -> Events:
    """Every event of the outbox against every message in Kafka."""
    positions = {str(event_id): position for position, event_id in OutboxEvent.objects.values_list("id", "event_id")}
    pending = OutboxEvent.objects.exclude(state=EventState.PUBLISHED).count()
    with KafkaReader(settings.KAFKA_BOOTSTRAP_SERVERS) as reader:
        messages = list(reader.messages())
    seen = Counter(message.event_id for message in messages)
    return Events(
        recorded=len(positions),
        in_kafka=len(messages),
        missing=len(positions.keys() - seen.keys()) + pending,
        unknown=sum(count for event_id, count in seen.items() if event_id not in positions),
        repeated=sum(count - 1 for count in seen.values()),
        keys=len({(message.topic, message.key) for message in messages}),
        out_of_order=out_of_order(messages, positions),
    )


def out_of_order(messages: list[KafkaMessage], positions: dict[str, int]) -> int:
    """How often a key's event first appears behind a later one; a repetition of an old one is no disorder."""
    latest: dict[tuple[str, str], int] = {}
    seen: set[str] = set()
    disorder = 0
    for message in sorted(messages, key=lambda each: (each.topic, each.partition, each.offset)):
        if message.event_id in seen:
            continue
        seen.add(message.event_id)
        position = positions.get(message.event_id, 0)
        disorder += position < latest.get((message.topic, message.key), 0)
        latest[message.topic, message.key] = max(position, latest.get((message.topic, message.key), 0))
    return disorder
