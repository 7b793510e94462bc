"""Solar schedules: the sun's nine daily events at a place, to the whole second. Pure; instants are UTC."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import ephem

from schedules.timing.rule import InvalidRule

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_DAY_SECONDS = 86_400
_HALF_DAY_SECONDS = _DAY_SECONDS // 2
_SECONDS_PER_DEGREE = _DAY_SECONDS // 360
# ephem counts days from noon of the last day of 1899.
_EPHEM_EPOCH_DAYS = 25_567.5
# Near a pole an event comes once a year; the search ends beyond that.
_SEARCH_HALF_DAYS = 2 * 400
_NEARBY_HALF_DAYS = 4


class _Crossing(NamedTuple):
    """The sun passes `degrees` of altitude, with its upper limb or else its centre."""

    degrees: float
    rising: bool
    upper_limb: bool = False


# Air lifts the sun by 34 minutes of arc at the horizon.
_AT_HORIZON = -34 / 60
_NOON = "solar_noon"
_CROSSINGS = {
    "dawn_astronomical": _Crossing(-18, rising=True),
    "dawn_nautical": _Crossing(-12, rising=True),
    "dawn_civil": _Crossing(-6, rising=True),
    "sunrise": _Crossing(_AT_HORIZON, rising=True, upper_limb=True),
    "sunset": _Crossing(_AT_HORIZON, rising=False, upper_limb=True),
    "dusk_civil": _Crossing(-6, rising=False),
    "dusk_nautical": _Crossing(-12, rising=False),
    "dusk_astronomical": _Crossing(-18, rising=False),
}
EVENTS = (*list(_CROSSINGS)[:4], _NOON, *list(_CROSSINGS)[4:])


@dataclass(frozen=True, slots=True)
class Solar:
    """Fires at a solar event; a day on which it does not happen has no fire time. Degrees, north and east positive.

    An event is the first whole second at which it has happened. It is sought between one turn of the sun (its highest
    or lowest point, counted from the epoch) and the next, so it does not depend on the instant that is asked about.
    Raises InvalidRule for an unknown event or a place that is not on Earth.
    """

    event: str
    latitude: float
    longitude: float

    def __post_init__(self) -> None:
        if self.event not in EVENTS:
            raise InvalidRule(f"event {self.event!r} is unknown: use one of {', '.join(EVENTS)}")
        if not -90 <= self.latitude <= 90:
            raise InvalidRule(f"latitude {self.latitude} is out of range: give degrees from -90 (south) to 90 (north)")
        if not -180 <= self.longitude <= 180:
            raise InvalidRule(
                f"longitude {self.longitude} is out of range: give degrees from -180 (west) to 180 (east)"
            )

    def next_after(self, instant: datetime) -> datetime | None:
        """The first event strictly after `instant`; None past the year 9999."""
        second = (instant - _EPOCH) // _SECOND
        return _instant(next((found for found in self._events(second, step=1) if found > second), None))

    def previous_before(self, instant: datetime) -> datetime | None:
        """The last event strictly before `instant`; None before the year 1."""
        second = -((_EPOCH - instant) // _SECOND)
        return _instant(next((found for found in self._events(second, step=-1) if found < second), None))

    def matches(self, instant: datetime) -> bool:
        """Whether the event happens at `instant`, a whole second."""
        second, rest = divmod(instant - _EPOCH, _SECOND)
        return not rest and second in self._events(second, step=1, half_days=_NEARBY_HALF_DAYS)

    def _events(self, second: int, step: int, half_days: int = _SEARCH_HALF_DAYS) -> Iterator[int]:
        """The events as seconds since the epoch, from a little on the near side of `second` onwards or backwards."""
        sun = _Sun(self.latitude, self.longitude)
        start = sun.turn_near(second) - step
        turns = range(start, start + step * half_days, step)
        if self.event == _NOON:
            return (sun.turn(number, looks=2) for number in turns if number % 2)
        return sun.crossings(_CROSSINGS[self.event], turns)


class _Sun:
    """The sun from one place. Its turns are numbered: even ones are its lowest points, odd ones its highest."""

    def __init__(self, latitude: float, longitude: float) -> None:
        self._first_turn = -longitude * _SECONDS_PER_DEGREE
        self._body = ephem.Sun()
        self._place = ephem.Observer()
        self._place.lat, self._place.lon = math.radians(latitude), math.radians(longitude)
        self._place.pressure = 0  # the horizon already allows for the air

    def turn_near(self, second: float) -> int:
        """The number of the turn nearest to `second`, or next to nearest: the sun is minutes off its mean."""
        return round((second - self._first_turn) / _HALF_DAY_SECONDS)

    def turn(self, number: int, looks: int = 1) -> int:
        """The second of a turn: the mean sun's, put right by where the true one stands; two looks make it exact."""
        second = self._first_turn + number * _HALF_DAY_SECONDS
        for _ in range(looks):
            self._look(second)
            behind = math.remainder(self._body.ha - (number + 1) * math.pi, math.tau)
            second -= behind / math.tau * _DAY_SECONDS
        return round(second)

    def crossings(self, crossing: _Crossing, turns: range) -> Iterator[int]:
        """The seconds at which the sun passes the altitude in the crossing's sense, at most one between two turns."""
        horizon = math.radians(crossing.degrees)

        def arrived(second: int) -> bool:
            self._look(second)
            limb = self._body.radius if crossing.upper_limb else 0.0
            return bool(self._body.alt + limb >= horizon) is crossing.rising

        here = self.turn(turns[0])
        arrived_here = arrived(here)
        for number in turns[1:]:
            there = self.turn(number)
            arrived_there = arrived(there)
            if arrived_there is not arrived_here and arrived_there is (there > here):
                seconds = range(min(here, there) + 1, max(here, there) + 1)
                yield seconds[bisect_left(seconds, True, key=arrived)]
            here, arrived_here = there, arrived_there

    def _look(self, second: float) -> None:
        self._place.date = _EPHEM_EPOCH_DAYS + second / _DAY_SECONDS
        self._body.compute(self._place)


def _instant(second: int | None) -> datetime | None:
    try:
        return None if second is None else _EPOCH + timedelta(seconds=second)
    except OverflowError:
        return None
