"""Solar schedules: right times, the same from wherever one asks, and quiet where the sun does not rise or set."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import ephem
import pytest
from celery import Celery
from celery.schedules import solar
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.timing.rule import InvalidRule
from schedules.timing.solar import EVENTS, Solar
from tests.support.rules import between, first_after, take, utc

SECOND = timedelta(seconds=1)
CENTRE = {"astronomical": -18.0, "nautical": -12.0, "civil": -6.0}

events = st.sampled_from(EVENTS)
latitudes = st.one_of(st.floats(-90, 90), st.floats(60, 75), st.sampled_from([-90.0, 90.0, 0.0, 66.56]))
longitudes = st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, 180.0, 0.0]))
rules = st.builds(Solar, events, latitudes, longitudes)
instants = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 Hypothesis wants naive bounds


def height(rule: Solar, instant: datetime) -> float:
    """How far the sun stands above the altitude that the event is about, in radians; ephem's own answer."""
    place, sun = ephem.Observer(), ephem.Sun()
    place.lat, place.lon, place.pressure = math.radians(rule.latitude), math.radians(rule.longitude), 0
    place.date = instant.replace(tzinfo=None)
    sun.compute(place)
    _, _, twilight = rule.event.partition("_")
    if twilight in CENTRE:
        return float(sun.alt) - math.radians(CENTRE[twilight])
    return float(sun.alt + sun.radius) + math.radians(34 / 60)


def last_before(rule: Solar, instant: datetime) -> datetime:
    found = rule.previous_before(instant)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("event", "place", "after", "almanac"),
    [
        ("sunrise", (51.5074, -0.1278), "2026-06-21", "2026-06-21T03:43"),
        ("sunset", (51.5074, -0.1278), "2026-06-21", "2026-06-21T20:21"),
        ("sunrise", (40.7128, -74.0060), "2026-12-21", "2026-12-21T12:17"),
        ("sunset", (40.7128, -74.0060), "2026-12-21", "2026-12-21T21:32"),
        ("sunrise", (-33.8688, 151.2093), "2026-06-20T12:00", "2026-06-20T21:00"),
        ("sunset", (-33.8688, 151.2093), "2026-06-21", "2026-06-21T06:54"),
    ],
)
def test_an_almanac_says_the_same_minute(event: str, place: tuple[float, float], after: str, almanac: str) -> None:
    assert abs(first_after(Solar(event, *place), utc(after)) - utc(almanac)) <= timedelta(minutes=1)


def test_a_day_has_its_nine_events_in_order() -> None:
    local_midnight = utc("2026-03-10T23:00")
    day = [first_after(Solar(event, 52.52, 13.405), local_midnight) for event in EVENTS]
    assert len(day) == 9
    assert day == sorted(day)
    assert day[-1] - day[0] < timedelta(hours=24)


@given(event=events, latitude=st.floats(-45, 45), longitude=longitudes, instant=instants)
def test_celery_means_the_same_event(event: str, latitude: float, longitude: float, instant: datetime) -> None:
    app = Celery(set_as_current=False)
    app.conf.update(timezone="UTC")
    theirs = solar(cast("Any", event), latitude, longitude, nowfun=lambda: instant, app=app)
    fire_time = instant + theirs.remaining_estimate(instant)
    ours = first_after(Solar(event, latitude, longitude), fire_time - timedelta(minutes=1))
    assert abs(ours - fire_time) < 2 * SECOND


@given(rule=rules, instant=instants, part=st.floats(0, 0.999999))
def test_every_instant_between_two_events_leads_to_the_same_ones(rule: Solar, instant: datetime, part: float) -> None:
    first = first_after(rule, instant)
    second = first_after(rule, first)
    assert instant < first < second
    between_them = first + part * (second - first)
    assert first_after(rule, between_them) == second
    assert last_before(rule, max(between_them, first + timedelta(microseconds=1))) == first
    assert first_after(rule, second - timedelta(microseconds=1)) == second


@settings(max_examples=50)
@given(rule=rules, instant=instants)
def test_previous_next_and_matches_agree(rule: Solar, instant: datetime) -> None:
    following, preceding = first_after(rule, instant), last_before(rule, instant)
    assert preceding < instant < following or rule.matches(instant)
    assert first_after(rule, last_before(rule, following)) == following
    assert last_before(rule, first_after(rule, preceding)) == preceding
    assert rule.matches(following)
    assert not rule.matches(following + SECOND)
    assert not rule.matches(following + timedelta(microseconds=1))


@given(rule=rules.filter(lambda rule: rule.event != "solar_noon"), instant=instants)
def test_the_sun_passes_the_altitude_within_that_second(rule: Solar, instant: datetime) -> None:
    fire_time = first_after(rule, instant)
    upward = rule.event == "sunrise" or rule.event.startswith("dawn")
    slack = math.radians(1e-6)  # near a pole the sun moves less in a second than a float can tell
    before, then = height(rule, fire_time - SECOND), height(rule, fire_time)
    assert before <= slack and then >= -slack if upward else before >= -slack and then <= slack
    assert then > before - slack if upward else then < before + slack


@settings(max_examples=50)
@given(latitude=latitudes, longitude=longitudes, instant=instants)
def test_between_two_sunrises_lies_one_sunset(latitude: float, longitude: float, instant: datetime) -> None:
    sunrise, sunset = Solar("sunrise", latitude, longitude), Solar("sunset", latitude, longitude)
    first, second = take(sunrise, instant, 2)
    assert len(between(sunset, first, second)) == 1


@pytest.mark.parametrize(
    ("event", "latitude", "start"),
    [("sunrise", 69.65, "2026-05-10"), ("sunset", 67.5, "2026-12-25"), ("dawn_civil", -64.0, "2026-11-14")],
)
def test_a_walk_of_two_minutes_a_step_finds_no_other_event(event: str, latitude: float, start: str) -> None:
    rule, step = Solar(event, latitude, 18.96), timedelta(minutes=2)
    upward = event != "sunset"
    walk = [utc(start) + n * step for n in range(14 * 720)]
    above = [height(rule, instant) >= 0 for instant in walk]
    found = [walk[n] for n in range(1, len(walk)) if above[n] is not above[n - 1] and above[n] is upward]
    fired = between(rule, walk[0], walk[-1])
    assert 0 < len(fired) < 14, "a window at the edge of the season"
    assert len(fired) == len(found)
    assert all(passed - step < fire_time <= passed for fire_time, passed in zip(fired, found, strict=True))


def test_b16_no_sunrise_under_the_midnight_sun_and_none_made_up() -> None:
    """B16: Tromsø has no sunrise from 18 May to 24 July; the first is in the night to 26 July."""
    tromso = Solar("sunrise", 69.65, 18.96)
    asked = utc("2026-06-21T00:00")
    assert utc("2026-07-25T00:00") < first_after(tromso, asked) < utc("2026-07-27T06:00")
    assert abs(first_after(tromso, asked) - utc("2026-07-25T23:05:55")) <= SECOND
    assert last_before(tromso, asked) < utc("2026-05-18T00:00")
    assert between(tromso, utc("2026-05-18T00:00"), utc("2026-07-25T00:00")) == []


@pytest.mark.parametrize("latitude", [91, -90.000001, 1e9, math.nan, math.inf])
def test_b16_a_latitude_that_is_not_on_earth_is_refused(latitude: float) -> None:
    with pytest.raises(InvalidRule, match=r"latitude .* is out of range: give degrees from -90 .* to 90"):
        Solar("sunrise", latitude, 0)


@pytest.mark.parametrize("longitude", [180.000001, -181, math.nan, -math.inf])
def test_a_longitude_that_is_not_on_earth_is_refused(longitude: float) -> None:
    with pytest.raises(InvalidRule, match=r"longitude .* is out of range: give degrees from -180 .* to 180"):
        Solar("sunrise", 0, longitude)


@pytest.mark.parametrize("event", ["moonrise", "", "Sunrise"])
def test_an_unknown_event_is_refused_with_those_there_are(event: str) -> None:
    with pytest.raises(InvalidRule, match=r"event .* is unknown: use one of dawn_astronomical, .*sunset"):
        Solar(event, 0, 0)


@pytest.mark.parametrize(("latitude", "month"), [(90.0, 3), (-90.0, 9)])
def test_at_a_pole_the_sun_rises_once_a_year_before_the_equinox(latitude: float, month: int) -> None:
    sunrises = take(Solar("sunrise", latitude, 0), utc("2026-01-01"), 3)
    assert [(day.year, day.month) for day in sunrises] == [(year, month) for year in (2026, 2027, 2028)]
    assert all(16 <= day.day <= 22 for day in sunrises)


@pytest.mark.parametrize("event", EVENTS)
def test_both_names_of_the_date_line_are_one_place(event: str) -> None:
    west, east = (take(Solar(event, -17.0, longitude), utc("2026-01-01"), 30) for longitude in (-180, 180))
    assert all(abs(one - other) <= SECOND for one, other in zip(west, east, strict=True))


@pytest.mark.parametrize("event", EVENTS)
def test_at_the_ends_of_the_calendar_there_is_no_event(event: str) -> None:
    rule = Solar(event, 50, 8)
    assert rule.next_after(datetime.max.replace(tzinfo=UTC)) is None
    assert rule.previous_before(datetime.min.replace(tzinfo=UTC)) is None
