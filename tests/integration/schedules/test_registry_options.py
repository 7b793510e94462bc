"""`schedules apply` with options and calendars: stored as written, told when changed, refused at line and field."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import PeriodicTask, SolarSchedule

from schedules.models import Calendar, CalendarDate, ScheduleOptions
from schedules.reader import Reader
from schedules.registry.apply import Applied, apply
from schedules.registry.problems import RegistryRefused
from schedules.validation import refusal
from tests.support.rules import take, utc, utcs

pytestmark = pytest.mark.django_db

CRONTAB = 'crontab: "0 6 * * *"\n    timezone: Europe/Berlin'
CALENDARS = "calendars:\n  holidays: [2026-12-25, 2027-01-01]\n"
OPTIONS = """{seconds: 30, month_day: last weekday, ends_at: 2036-01-01T00:00:00Z, max_runs: 12, calendar: holidays,
      jitter_seconds: 20, catchup_pace_seconds: 5}"""


def _text(rule: str, options: str = "{}", calendars: str = "") -> str:
    entry = "schedules:\n  a:\n    task: fan_out\n    kwargs: {job: sync_feed, params: {feed: a}}\n"
    return f"{calendars}{entry}    {rule}\n    options: {options}\n"


def _apply(tmp_path: Path, text: str, *, dry_run: bool = False) -> Applied:
    file = tmp_path / "schedules.yaml"
    file.write_text(text)
    return apply(file, dry_run=dry_run)


def _refusals(tmp_path: Path, text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(RegistryRefused) as refused:
        _apply(tmp_path, text)
    assert not PeriodicTask.objects.exists()
    assert not CalendarDate.objects.exists()
    return [(problem.line, problem.place, problem.text) for problem in refused.value.problems]


def test_every_option_is_stored(tmp_path: Path) -> None:
    applied = _apply(tmp_path, _text(CRONTAB, OPTIONS, CALENDARS))
    assert applied.created == ("calendar holidays", "a")
    options = ScheduleOptions.objects.select_related("calendar").get()
    assert (options.seconds, options.month_day, options.max_runs) == ("30", "last weekday", 12)
    assert (options.jitter_seconds, options.catchup_pace_seconds) == (20, 5)
    assert options.ends_at == datetime(2036, 1, 1, tzinfo=UTC)
    assert options.calendar == Calendar.objects.get(name="holidays")
    assert not Reader(refusal).read()[1]


def test_applying_again_writes_nothing(tmp_path: Path) -> None:
    text = _text(CRONTAB, OPTIONS, CALENDARS)
    _apply(tmp_path, text)
    with CaptureQueriesContext(connection) as queries:
        applied = _apply(tmp_path, text)
    assert (applied.created, applied.changed, applied.unchanged) == ((), {}, ("calendar holidays", "a"))
    assert not [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


def test_options_taken_out_of_the_file_have_their_defaults_again(tmp_path: Path) -> None:
    _apply(tmp_path, _text(CRONTAB, OPTIONS, CALENDARS))
    changed = _apply(tmp_path, _text(CRONTAB)).changed["a"]
    names = ("seconds", "month_day", "ends_at", "max_runs", "calendar", "jitter_seconds", "catchup_pace_seconds")
    assert set(changed) == {f"options.{name}" for name in names}
    options = ScheduleOptions.objects.get()
    assert (options.seconds, options.calendar, options.max_runs) == ("", None, None)


def test_rule_and_options_are_exchanged_in_one_file(tmp_path: Path) -> None:
    _apply(tmp_path, _text("every: 1 day", "{interval_zone: Europe/Berlin}"))
    changed = _apply(tmp_path, _text(CRONTAB, "{month_day: last day}")).changed["a"]
    assert set(changed) == {"crontab", "interval", "options.interval_zone", "options.month_day"}


def test_a_calendar_gets_and_loses_dates_and_keeps_its_notes(tmp_path: Path) -> None:
    _apply(tmp_path, CALENDARS)
    CalendarDate.objects.filter(date="2026-12-25").update(note="Christmas Day")
    applied = _apply(tmp_path, "calendars:\n  holidays:\n    - 2026-12-25\n    - '2026-12-26'\n    - 2027-05-01\n")
    assert applied.changed == {"calendar holidays": ("2 dates added", "1 date removed")}
    assert dict(CalendarDate.objects.values_list("date", "note")) == {
        date(2026, 12, 25): "Christmas Day",
        date(2026, 12, 26): "",
        date(2027, 5, 1): "",
    }


def test_a_dry_run_tells_of_calendars_and_keeps_nothing(tmp_path: Path) -> None:
    applied = _apply(tmp_path, _text(CRONTAB, OPTIONS, CALENDARS), dry_run=True)
    assert applied.created == ("calendar holidays", "a")
    assert not Calendar.objects.exists()
    assert not PeriodicTask.objects.exists()


def test_a_calendar_of_the_admin_is_known_to_the_file(tmp_path: Path) -> None:
    Calendar.objects.create(name="closing days").dates.create(date=date(2026, 3, 11))
    _apply(tmp_path, _text(CRONTAB, "{calendar: closing days}"))
    (definition,) = Reader(refusal).read()[0].values()
    assert take(definition.rule, utc("2026-03-10T09:00"), 1) == utcs("2026-03-12T05:00")


def test_a_zone_lets_days_follow_the_clocks(tmp_path: Path) -> None:
    _apply(tmp_path, _text("every: 1 day", "{interval_zone: Europe/Berlin}"))
    (definition,) = Reader(refusal).read()[0].values()
    assert take(definition.rule, utc("2026-03-28T12:00"), 2) == utcs("2026-03-28T23:00", "2026-03-29T22:00")


@pytest.mark.parametrize(
    ("options", "field", "complaint"),
    [
        ("{seconds: 30}", "seconds", "leave it empty"),
        ("{month_day: last day}", "month_day", "leave it empty"),
        ("{interval_zone: Europe/Berlin}", "interval_zone", "follows no wall clock"),
        ("{jitter_seconds: 3600}", "jitter_seconds", "not shorter"),
        ("{jitter_seconds: -1}", "jitter_seconds", "greater than or equal to 0"),
        ("{jitter_seconds: 1.5}", "jitter_seconds", "not a whole number"),
        ("{ends_at: 1970-01-01T00:30:00Z}", "ends_at", "would never fire"),
        ("{ends_at: 2036-01-01T00:30:00}", "ends_at", "has no zone"),
        ("{max_runs: 0}", "max_runs", "greater than or equal to 1"),
        ("{catchup_pace_seconds: -1}", "catchup_pace_seconds", "greater than or equal to 0"),
        ("{calendar: holiday}", "calendar", "no calendar is named 'holiday': did you mean 'holidays'?"),
        ("{calendar: nothing alike}", "calendar", "put it below `calendars:`"),
        ("{seconds: [1]}", "seconds", "not a text"),
    ],
)
def test_what_does_not_fit_an_hourly_interval_is_refused_at_its_line(
    tmp_path: Path, options: str, field: str, complaint: str
) -> None:
    ((line, place, text),) = _refusals(tmp_path, _text("every: 1 hour", options, CALENDARS))
    assert (line, place) == (8, f"a.options.{field}")
    assert complaint in text


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ("{seconds: '60', month_day: last funday}", ["month_day", "seconds"]),
        ("{interval_zone: Europe/Berlin, jitter_seconds: 86400}", ["interval_zone", "jitter_seconds"]),
        ("{month_day: 6th mon}", ["month_day"]),
    ],
)
def test_what_does_not_fit_a_crontab_is_refused_each_at_its_field(
    tmp_path: Path, options: str, fields: list[str]
) -> None:
    found = _refusals(tmp_path, _text(CRONTAB, options))
    assert sorted(place.removeprefix("a.options.") for _, place, _ in found) == fields


@pytest.mark.parametrize(
    ("calendars", "line", "place", "complaint"),
    [
        ("  holidays: [2026-12-25, 2026-02-30]", 2, "calendars.holidays[1]", "'2026-02-30' is no date"),
        ("  holidays:\n    - 2026-12-25\n    - tomorrow", 4, "calendars.holidays[1]", "write it as in 2026-12-25"),
        ("  holidays: [2026-1-1]", 2, "calendars.holidays[0]", "is no date"),
        ("  holidays: [2026-12-25T00:00:00Z]", 2, "calendars.holidays[0]", "is no date"),
        ("  holidays: [{a: b}]", 2, "calendars.holidays[0]", "this is no date"),
        ("  holidays:\n    - 2026-12-25\n    - 2026-12-25", 4, "calendars.holidays[1]", "stands on line 3 already"),
        ("  holidays: 2026-12-25", 2, "calendars.holidays", "must be a list of dates"),
        ("  holidays:", 2, "calendars.holidays", "must be a list of dates"),
        (f"  {'n' * 101}: []", 2, f"calendars.{'n' * 101}", "at most 100 characters"),
        ("  'a ': []", 2, "calendars.a ", "no white space around it"),
        ("  a: []\n  a: []", 3, "calendars.a", "stands on line 2 already"),
        ("  - 2026-12-25", 2, "calendars", "must be a mapping"),
    ],
)
def test_a_bad_calendar_is_refused_at_its_line(
    tmp_path: Path, calendars: str, line: int, place: str, complaint: str
) -> None:
    found = _refusals(tmp_path, _text("every: 1 hour", "{}", f"calendars:\n{calendars}\n"))
    assert [(line, place)] == [problem[:2] for problem in found]
    assert complaint in found[0][2]


def test_a_solar_schedule_is_stored_and_found_again(tmp_path: Path) -> None:
    text = _text("solar: sunrise\n    latitude: 69.65\n    longitude: -0.0")
    _apply(tmp_path, text)
    assert (SolarSchedule.objects.get().event, str(SolarSchedule.objects.get().latitude)) == ("sunrise", "69.650000")
    assert _apply(tmp_path, text).unchanged == ("a",)


@pytest.mark.parametrize(
    ("rule", "place", "complaint"),
    [
        ("solar: noon\n    latitude: 0\n    longitude: 0", "solar", "event 'noon' is unknown: use one of"),
        ("solar: sunrise\n    longitude: 0", "solar", "give latitude in degrees"),
        ("solar: sunrise\n    latitude: 91\n    longitude: 0", "latitude", "from -90 (south) to 90 (north)"),
        ("solar: sunrise\n    latitude: 0\n    longitude: -181", "longitude", "from -180 (west) to 180 (east)"),
        ("solar: sunrise\n    latitude: north\n    longitude: 0", "latitude", "is no number of degrees"),
        ("solar: sunrise\n    latitude: 1.0e+30\n    longitude: 0", "latitude", "is no number of degrees"),
        ("every: 1 hour\n    latitude: 0", "latitude", "only a solar rule has a place"),
    ],
)
def test_a_bad_solar_schedule_is_refused_at_its_field(tmp_path: Path, rule: str, place: str, complaint: str) -> None:
    found = _refusals(tmp_path, _text(rule))
    assert any(where == f"a.{place}" and complaint in text for _, where, text in found), found
