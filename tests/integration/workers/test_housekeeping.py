"""Housekeeping: what is past its retention goes, what is still needed stays."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from schedules.models import Slot, SlotState
from schedules.stamp import Trigger, slot_id
from tests.support.workers import AT, acquired, draining, stamp_of
from workers import lease as leases
from workers.conf import Conf
from workers.drain import Interrupted
from workers.housekeeping import Purged, purge
from workers.identity import Identity
from workers.lease import HeldLease
from workers.models import EventState, FanOut, Kind, Lease, LeaseState, OutboxEvent

pytestmark = pytest.mark.django_db(transaction=True)

CONF = Conf(run_retention_days=7, outbox_retention_days=3)
OLD, RECENT = AT - timedelta(days=8), AT - timedelta(days=6)


def ended(held: HeldLease, at: datetime, state: LeaseState = LeaseState.SUCCESS) -> None:
    Lease.objects.filter(pk=held.id).update(state=state, finished_at=at)


def slot(schedule: str, at: datetime, state: SlotState = SlotState.DONE, trigger: Trigger = Trigger.SCHEDULE) -> Slot:
    identity = f"{slot_id(schedule, at)}-{trigger}"
    return Slot.objects.create(slot_id=identity, schedule=schedule, scheduled_for=at, state=state, trigger=trigger)


def fan_out(name: str, at: datetime, finished: datetime | None) -> None:
    FanOut.objects.create(slot_id=name, schedule="s", scheduled_for=at, job="j", finished_at=finished)


@pytest.mark.parametrize("state", [LeaseState.SUCCESS, LeaseState.FAIL, LeaseState.SKIPPED])
def test_runs_that_ended_long_ago_go(state: LeaseState) -> None:
    ended(acquired(stamp_of("old")), OLD, state)
    ended(acquired(stamp_of("recent")), RECENT, state)
    assert purge(AT, CONF).runs == 1
    assert [lease.code for lease in Lease.objects.all()] == ["recent"]


def test_a_run_that_runs_and_one_that_is_once_for_ever_stay() -> None:
    ended(acquired(Identity("seed", kind=Kind.INITIAL)), OLD)
    acquired(stamp_of("running"))
    Lease.objects.update(created_at=OLD, acquired_at=OLD, heartbeat_at=OLD)
    assert purge(AT, CONF).runs == 0
    assert isinstance(leases.acquire(Identity("seed", kind=Kind.INITIAL), 60, "w"), leases.Refused)


def test_finished_slots_go_but_never_the_newest_of_a_schedule() -> None:
    gone = [slot("a", OLD - timedelta(hours=hours)) for hours in (1, 2, 3)]
    kept = [
        slot("a", OLD),
        slot("a", OLD + timedelta(hours=1), trigger=Trigger.MANUAL),
        slot("b", OLD - timedelta(days=300), SlotState.FAILED),
        slot("c", OLD - timedelta(hours=1), SlotState.RUNNING),
        slot("c", OLD - timedelta(hours=2), SlotState.DISPATCHED),
        slot("c", RECENT),
    ]
    assert purge(AT, CONF).slots == len(gone)
    assert set(Slot.objects.all()) == set(kept)


def test_fan_outs_go_also_when_they_never_finished() -> None:
    fan_out("old", OLD, OLD)
    fan_out("given up", OLD, None)
    FanOut.objects.filter(slot_id="given up").update(started_at=OLD)
    fan_out("begun late", OLD, None)
    FanOut.objects.filter(slot_id="begun late").update(started_at=RECENT)
    fan_out("recent", RECENT, RECENT)
    assert purge(AT, CONF).fan_outs == 2
    assert set(FanOut.objects.values_list("slot_id", flat=True)) == {"begun late", "recent"}


def test_published_events_go_after_their_own_retention_and_pending_ones_never() -> None:
    for key, state, at in (
        ("old", EventState.PUBLISHED, AT - timedelta(days=4)),
        ("recent", EventState.PUBLISHED, AT - timedelta(days=2)),
        ("pending", EventState.PENDING, None),
    ):
        OutboxEvent.objects.create(topic="t", key=key, payload={}, state=state, published_at=at)
    OutboxEvent.objects.update(created_at=AT - timedelta(days=300))
    assert purge(AT, CONF).events == 1
    assert set(OutboxEvent.objects.values_list("key", flat=True)) == {"recent", "pending"}


def test_batches_go_on_until_nothing_is_left() -> None:
    for minutes in range(7):
        ended(acquired(stamp_of("old", AT + timedelta(minutes=minutes))), OLD)
        slot("a", OLD - timedelta(minutes=minutes))
    slot("a", AT)
    assert purge(AT, CONF, batch=3) == Purged(runs=7, slots=7, fan_outs=0, events=0)


def test_a_stopping_process_leaves_between_two_batches() -> None:
    ended(acquired(stamp_of("old")), OLD)
    with draining(), pytest.raises(Interrupted):
        purge(AT, CONF)
    assert Lease.objects.count() == 1


def test_the_command_says_what_went() -> None:
    ended(acquired(stamp_of("old")), OLD - timedelta(days=3650))
    out = StringIO()
    call_command("housekeeping", stdout=out)
    assert out.getvalue() == "deleted 1 runs, 0 slots, 0 fan-outs, 0 events\n"
    with pytest.raises(CommandError, match="--batch-size is 0"):
        call_command("housekeeping", "--batch-size", "0")
