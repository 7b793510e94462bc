"""What the forms, the file and a saved row take is what the beat can read: the same set at every door."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from schedules.reader import Reader
from schedules.registry.apply import apply
from schedules.registry.problems import RegistryRefused
from schedules.validation import refusal
from tests.support.admin_pages import add_url, sign_in
from tests.support.rules import take, utc, utcs
from tests.support.schedules import schedule_row

pytestmark = pytest.mark.django_db

FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
ENTRY = "schedules:\n  a:\n    task: fan_out\n    kwargs: {job: sync_feed, params: {feed: a}}\n    "
Door = Callable[[str], str]


@pytest.fixture(params=["form", "file", "saved"])
def crontab_door(request: pytest.FixtureRequest, client: Client, tmp_path: Path) -> Door:
    """Brings in an enabled schedule with a crontab in UTC; says why it may not, empty when it may."""

    def form(expression: str) -> str:
        posted = {**dict(zip(FIELDS, expression.split(), strict=True)), "timezone": "UTC"}
        refused = _post(sign_in(client), CrontabSchedule, posted)
        if not refused:
            schedule_row(crontab=CrontabSchedule.objects.get())
        return refused

    def saved(expression: str) -> str:
        crontab = CrontabSchedule.objects.create(**dict(zip(FIELDS, expression.split(), strict=True)), timezone="UTC")
        return _save(crontab=crontab)

    return {"form": form, "file": lambda text: _apply(tmp_path, f"crontab: '{text}'"), "saved": saved}[request.param]


@pytest.fixture(params=["form", "file", "saved"])
def interval_door(request: pytest.FixtureRequest, client: Client, tmp_path: Path) -> Door:
    """The same for an interval, as in `5 minutes`."""

    def form(text: str) -> str:
        refused = _post(sign_in(client), IntervalSchedule, dict(zip(("every", "period"), text.split(), strict=True)))
        if not refused:
            schedule_row(interval=IntervalSchedule.objects.get())
        return refused

    def saved(text: str) -> str:
        every, period = text.split()
        return _save(interval=IntervalSchedule.objects.create(every=int(every), period=period))

    return {"form": form, "file": lambda text: _apply(tmp_path, f"every: {text}"), "saved": saved}[request.param]


@pytest.fixture(params=["form", "file", "saved"])
def solar_door(request: pytest.FixtureRequest, client: Client, tmp_path: Path) -> Door:
    """The same for a sunrise at `latitude longitude`."""

    def values(text: str) -> dict[str, str]:
        return {"event": "sunrise", **dict(zip(("latitude", "longitude"), text.split(), strict=True))}

    def form(text: str) -> str:
        refused = _post(sign_in(client), SolarSchedule, values(text))
        if not refused:
            schedule_row(solar=SolarSchedule.objects.get())
        return refused

    def file(text: str) -> str:
        place = values(text)
        lines = f"solar: sunrise\n    latitude: {place['latitude']}\n    longitude: {place['longitude']}"
        return _apply(tmp_path, lines)

    return {
        "form": form,
        "file": file,
        "saved": lambda text: _save(solar=SolarSchedule.objects.create(**values(text))),
    }[request.param]


def _post(client: Client, model: Any, posted: dict[str, str]) -> str:
    answer = client.post(add_url(model), posted)
    return "" if answer.status_code == 302 else str(answer.context["adminform"].form.errors)


def _apply(tmp_path: Path, rule: str) -> str:
    file = tmp_path / "schedules.yaml"
    file.write_text(f"{ENTRY}{rule}\n")
    try:
        apply(file)
    except RegistryRefused as refused:
        return str(refused)
    return ""


def _save(**rule: Any) -> str:
    try:
        schedule_row(**rule)
    except ValidationError as refused:
        return str(refused)
    return ""


def _next(after: str, count: int) -> list[Any]:
    definitions, rejected = Reader(refusal).read()
    assert not rejected
    (definition,) = definitions.values()
    return take(definition.rule, utc(after), count)


FRIDAY_TO_SUNDAY = utcs("2026-03-13T10:00", "2026-03-14T10:00", "2026-03-15T10:00")


@pytest.mark.parametrize(
    ("weekdays", "expected"),
    [
        ("7", utcs("2026-03-15T10:00", "2026-03-22T10:00", "2026-03-29T10:00")),
        ("0,7", utcs("2026-03-15T10:00", "2026-03-22T10:00", "2026-03-29T10:00")),
        ("5-7", FRIDAY_TO_SUNDAY),
        ("fri-sun", FRIDAY_TO_SUNDAY),
        ("sat-mon", utcs("2026-03-14T10:00", "2026-03-15T10:00", "2026-03-16T10:00")),
        ("Fri-SUN", FRIDAY_TO_SUNDAY),
    ],
)
def test_b08_each_spelling_of_sunday_is_taken_and_fires(crontab_door: Door, weekdays: str, expected: list[Any]) -> None:
    assert crontab_door(f"0 10 * * {weekdays}") == ""
    assert _next("2026-03-10T09:00", 3) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("30 22-2 * * *", utcs("2026-03-10T22:30", "2026-03-10T23:30", "2026-03-11T00:30")),
        ("50-10/10 9 * * *", utcs("2026-03-10T09:10", "2026-03-10T09:50", "2026-03-11T09:00")),
        ("0 0 1 nov-feb *", utcs("2026-11-01T00:00", "2026-12-01T00:00", "2027-01-01T00:00")),
        ("0 0 28-2 * *", utcs("2026-03-28T00:00", "2026-03-29T00:00", "2026-03-30T00:00")),
    ],
)
def test_b08_ranges_around_the_end_are_taken_and_fire(crontab_door: Door, expression: str, expected: list[Any]) -> None:
    assert crontab_door(expression) == ""
    assert _next("2026-03-10T09:00", 3) == expected


@pytest.mark.parametrize("expression", ["0 10 31 2 *", "0 10 31 4 *", "0 0 30,31 feb *"])
def test_b09_a_date_that_never_comes_is_refused(crontab_door: Door, expression: str) -> None:
    assert "never comes" in crontab_door(expression)
    assert not PeriodicTask.objects.exists()


def test_b09_29_february_is_taken(crontab_door: Door) -> None:
    assert crontab_door("0 10 29 2 *") == ""
    assert _next("2026-01-01T00:00", 1) == utcs("2028-02-29T10:00")


@pytest.mark.parametrize("day", ["L", "-1", "LW", "15W"])
def test_b11_other_tools_spellings_of_the_last_day_are_refused(crontab_door: Door, day: str) -> None:
    assert "cannot be read" in crontab_door(f"30 23 {day} * *")
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize(
    "expression",
    ["60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 * 13 *", "0 0 * * 8", "5/15 * * * *", "*/0 * * * *", ", * * * *"],
)
def test_what_the_beat_cannot_read_is_refused(crontab_door: Door, expression: str) -> None:
    assert "cannot be read" in crontab_door(expression)
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize("text", ["50000 microseconds", "99999 microseconds", "1 microseconds"])
def test_b13_an_interval_below_100_milliseconds_is_refused(interval_door: Door, text: str) -> None:
    assert "shortest interval is 100 milliseconds" in interval_door(text)
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize("text", ["36526 days", "2147483647 hours", "2147483647 days"])
def test_b13_an_interval_over_100_years_is_refused(interval_door: Door, text: str) -> None:
    assert "longest interval is 100 years" in interval_door(text)
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize("text", ["100000 microseconds", "90 minutes", "36525 days"])
def test_b13_an_interval_is_stored_as_it_was_given(interval_door: Door, text: str) -> None:
    assert interval_door(text) == ""
    row = IntervalSchedule.objects.get()
    assert f"{row.every} {row.period}" == text


def test_b13_what_django_celery_beat_makes_of_50_milliseconds_is_refused() -> None:
    interval = IntervalSchedule.from_schedule(_every(timedelta(microseconds=50_000)))
    interval.save()
    interval.refresh_from_db()
    assert interval.every == 0
    assert "too short" in _save(interval=interval)


def _every(step: timedelta) -> Any:
    class _Schedule:
        run_every = step

    return _Schedule


@pytest.mark.parametrize("place", ["90.1 0", "-91 0", "0 180.5", "0 -181"])
def test_b16_a_place_that_is_not_on_earth_is_refused(solar_door: Door, place: str) -> None:
    assert "out of range" in solar_door(place)
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize("place", ["69.65 18.96", "-90 180", "90 -180", "0 0"])
def test_b16_a_place_on_earth_is_taken(solar_door: Door, place: str) -> None:
    assert solar_door(place) == ""
    definitions, rejected = Reader(refusal).read()
    assert (len(definitions), rejected) == (1, {})
