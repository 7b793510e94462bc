"""`schedules list`, `next`, `trigger`, `pause` and `resume` as a person sees them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from schedules.models import Slot, SlotState
from schedules.redis import client
from schedules.registry.apply import apply
from schedules.registry.outlook import find, forecast, outlooks
from schedules.stamp import Trigger
from tests.support.schedules import schedule_row

pytestmark = pytest.mark.django_db

SAMPLE = Path(__file__).parents[3] / "examples" / "schedules.yaml"
FEED = '{"job": "sync_feed", "params": {"feed": "a"}}'
NOW = datetime(2026, 3, 28, 12, 0, 1, tzinfo=UTC)


def schedules(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("schedules", *arguments, stdout=out)
    return out.getvalue().splitlines()


def broken(name: str = "broken") -> None:
    """A row as a bulk insert or raw SQL may leave it."""
    schedule_row(name, kwargs=FEED)
    PeriodicTask.objects.filter(name=name).update(task="gone")


def test_the_outlook_has_rule_next_fire_time_and_problem() -> None:
    apply(SAMPLE)
    broken()
    PeriodicTask.objects.filter(name="bids").update(enabled=False)
    found = {outlook.name: outlook for outlook in outlooks(NOW)}
    assert list(found) == sorted(found)
    assert (found["slots"].rule, found["slots"].next_fire_time) == ("every 2 seconds", NOW + timedelta(seconds=1))
    assert found["finances"].rule == "at 06:00 every day (Europe/Moscow)"
    assert found["finances"].next_fire_time == datetime(2026, 3, 29, 3, tzinfo=UTC)
    assert (found["bids"].enabled, found["bids"].next_fire_time, found["bids"].problem) == (False, None, "")
    assert found["broken"].next_fire_time is None
    assert "No worker knows the task 'gone'" in found["broken"].problem


def test_the_list_shows_a_line_each() -> None:
    apply(SAMPLE)
    broken()
    text = {line.split()[0]: line for line in schedules("list")}
    assert "every 2 seconds" in text["slots"]
    assert "INVALID: No worker knows the task 'gone'" in text["broken"]
    rows: list[dict[str, Any]] = [json.loads(line) for line in schedules("list", "--json")]
    assert {row["name"]: bool(row["problem"]) for row in rows}["broken"]
    slots = next(row for row in rows if row["name"] == "slots")
    assert datetime.fromisoformat(slots["next_fire_time"]).tzinfo is not None


def test_next_fire_times_are_told_in_utc_and_in_the_zone() -> None:
    apply(SAMPLE)
    lines = schedules("next", "finances", "--count", "2")
    assert len(lines) == 2
    assert "03:00:00.000 UTC" in lines[0]
    assert "06:00:00 +0300 Europe/Moscow" in lines[0]
    (row,) = json.loads("\n".join(schedules("next", "finances", "--count", "1", "--json")))
    assert datetime.fromisoformat(row["utc"]) == datetime.fromisoformat(row["local"])
    assert (row["utc"][10:], row["local"][11:], row["note"]) == ("T03:00:00Z", "06:00:00+03:00", "")


def test_next_fire_times_follow_a_clock_change() -> None:
    berlin = CrontabSchedule.objects.create(minute="0", hour="6", timezone="Europe/Berlin")
    row = schedule_row("a", kwargs=FEED, crontab=berlin)
    assert [each.instant.hour for each in forecast(row, NOW - timedelta(days=1), 3).fire_times] == [5, 4, 4]


def test_an_unknown_name_names_the_nearest() -> None:
    schedule_row("finances", kwargs=FEED)
    for action in ("next", "trigger", "pause", "resume"):
        with pytest.raises(CommandError, match=r"no schedule is named 'finance': did you mean 'finances'\?"):
            schedules(action, "finance")


def test_pause_and_resume_move_the_row_s_date_and_say_what_they_found() -> None:
    schedule_row("a", kwargs=FEED)
    dates = [find("a").date_changed]
    assert schedules("pause", "a") == ["a is paused"]
    dates.append(find("a").date_changed)
    assert schedules("pause", "a") == ["a was paused already"]
    assert find("a").date_changed == dates[-1]
    assert schedules("resume", "a") == ["a is resumed"]
    dates.append(find("a").date_changed)
    assert schedules("resume", "a") == ["a was not paused"]
    assert dates == sorted(set(dates))
    assert find("a").enabled


def test_a_schedule_that_cannot_run_is_not_resumed() -> None:
    broken()
    PeriodicTask.objects.update(enabled=False)
    with pytest.raises(CommandError, match="'broken' cannot run: No worker knows the task 'gone'"):
        schedules("resume", "broken")
    assert not find("broken").enabled


def test_trigger_hands_one_run_over_and_records_it() -> None:
    schedule_row("a", kwargs=FEED, enabled=False)
    (line,) = schedules("trigger", "a")
    slot = Slot.objects.get()
    assert line == f"dispatched {slot.slot_id}"
    assert (slot.schedule, slot.trigger, slot.state) == ("a", Trigger.MANUAL, SlotState.DISPATCHED)
    assert client().llen("schedules") == 1


def test_a_second_trigger_while_the_first_has_not_ended_is_refused() -> None:
    schedule_row("a", kwargs=FEED)
    schedules("trigger", "a")
    with pytest.raises(CommandError, match=r"'a' was not run \(overlap\): a:manual-\w+ had not ended"):
        schedules("trigger", "a")
    assert client().llen("schedules") == 1
