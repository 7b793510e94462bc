"""Rules, zones and instants that Hypothesis draws: crontabs in every form of every field, and all other rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from hypothesis import assume
from hypothesis import strategies as st

from schedules.timing.exclusion import Excluding
from schedules.timing.interval import EPOCH, SHORTEST, Interval, WallInterval
from schedules.timing.rule import Bounded, InvalidRule, Once, Rule
from tests.support.clock_changes import CHANGING, FIRST, LAST, ZONES, Change, changes_of
from tests.support.oracle import Spelled

_DAYS = (LAST - FIRST).days
MONTH_DAYS = ("last day", "last weekday", "1st mon", "2nd tue", "3rd sun", "4th sat", "5th thu", "last fri")

Field = tuple[str, frozenset[int]]
AnyRule = TypeVar("AnyRule", bound=Rule)


class Kind(NamedTuple):
    """A field's bounds, its names, and the numbers that are drawn more often than others."""

    lowest: int
    highest: int
    names: tuple[str, ...] = ()
    often: int | None = None

    def numbers(self) -> st.SearchStrategy[int]:
        """Any number; half of the time none above `often`."""
        numbers = st.integers(self.lowest, self.highest)
        return numbers if self.often is None else st.one_of(st.integers(self.lowest, self.often), numbers)


SECOND = MINUTE = Kind(0, 59)
HOUR = Kind(0, 23, often=4)  # clocks change at night
DAY = Kind(1, 31)
MONTH = Kind(1, 12, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"))
WEEKDAY = Kind(0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat"))

zones = st.sampled_from(ZONES)
changes = st.sampled_from(CHANGING).flatmap(lambda zone: st.sampled_from(changes_of(zone)))


def near(change: Change) -> st.SearchStrategy[datetime]:
    """Within four hours of a change; on whole minutes or a microsecond beside them, or anywhere."""
    minutes = st.builds(timedelta, minutes=st.integers(-240, 240), microseconds=st.sampled_from([-1, 0, 1]))
    return st.one_of(minutes, st.timedeltas(timedelta(hours=-4), timedelta(hours=4))).map(lambda far: change.at + far)


anywhen = st.datetimes(FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None), timezones=st.just(UTC))
instants = st.one_of(changes.flatmap(near), anywhen)


@st.composite
def fields(draw: st.DrawFn, kind: Kind) -> Field:
    """The text of one field and its numbers: one to three parts, each a star, a number, a name, a range, with steps."""
    parts = draw(st.lists(_parts(kind), min_size=1, max_size=3))
    return ",".join(text for text, _ in parts), frozenset().union(*(numbers for _, numbers in parts))


@st.composite
def _parts(draw: st.DrawFn, kind: Kind) -> Field:
    form = draw(st.sampled_from(["number", "number", "range", "range/step", "*", "*/step"]))
    first = draw(kind.numbers())
    if form == "number":
        return draw(_words(kind, first)), frozenset({first})
    if form.startswith("*"):
        text, span = "*", list(range(kind.lowest, kind.highest + 1))
    else:
        last = draw(kind.numbers())
        sunday_again = kind is WEEKDAY and first == last == 0  # 0-7 would be the whole week
        text = f"{draw(_words(kind, first))}-{'sun' if sunday_again else draw(_words(kind, last))}"
        span = _around(kind, first, last)
        assume(not (kind is WEEKDAY and text.startswith("7-") and last == 0))
    if not form.endswith("step"):
        return text, frozenset(span)
    step = draw(st.integers(1, kind.highest))
    return f"{text}/{step}", frozenset(islice(span, 0, None, step))


def _words(kind: Kind, number: int) -> st.SearchStrategy[str]:
    words = [str(number)]
    if kind.names:
        name = kind.names[number - kind.lowest]
        words += [name, name.upper()]
    return st.sampled_from([*words, "7"] if kind is WEEKDAY and number == 0 else words)


def _around(kind: Kind, first: int, last: int) -> list[int]:
    """From first to last, one by one, and from the highest to the lowest."""
    span = [first]
    while span[-1] != last:
        span.append(kind.lowest if span[-1] == kind.highest else span[-1] + 1)
    return span


_ALL_DAYS, _ALL_MONTHS, _ALL_WEEKDAYS = (("*", frozenset(range(*span))) for span in ((1, 32), (1, 13), (7,)))


@st.composite
def crontabs(draw: st.DrawFn, *, dense: bool = False) -> Spelled:
    """Every form of every field; with `dense` each day fires, so that all happens around clock changes."""
    minute, hour = draw(fields(MINUTE)), draw(fields(HOUR))
    days = _ALL_DAYS if dense else draw(st.one_of(st.just(_ALL_DAYS), fields(DAY)))
    months = _ALL_MONTHS if dense else draw(st.one_of(st.just(_ALL_MONTHS), fields(MONTH)))
    weekdays = draw(st.one_of(st.just(_ALL_WEEKDAYS), fields(WEEKDAY)))
    seconds = draw(st.one_of(st.just(("0", frozenset({0}))), fields(SECOND)))
    spelled = Spelled(
        text=" ".join(text for text, _ in (minute, hour, days, months, weekdays)),
        minutes=minute[1],
        hours=hour[1],
        weekdays=weekdays[1],
        fixed_hour=not hour[0].startswith("*"),
        days=days[1],
        months=months[1],
        seconds_text=seconds[0],
        seconds=seconds[1],
        month_day="" if dense else draw(st.sampled_from(["", "", *MONTH_DAYS])),
    )
    try:
        spelled.rule("UTC")
    except InvalidRule:
        assume(False)
    return spelled


dates: st.SearchStrategy[date] = st.integers(0, _DAYS).map(lambda count: FIRST.date() + timedelta(days=count))
some_dates: st.SearchStrategy[frozenset[date]] = st.builds(
    lambda scattered, first, length: frozenset({*scattered, *(first + timedelta(days=n) for n in range(length))}),
    st.lists(dates, max_size=20),
    dates,
    st.integers(0, 40),
)


class Place(NamedTuple):
    """A zone, and instants of which many lie near one of its changes: where a rule of that zone may err."""

    zone: str
    instants: st.SearchStrategy[datetime]


_quiet_places = zones.map(lambda zone: Place(zone, anywhen))
_restless_places = changes.map(lambda change: Place(change.zone, st.one_of(near(change), near(change), anywhen)))
places = st.one_of(_restless_places, _restless_places, _quiet_places)


def wall_intervals(place: Place) -> st.SearchStrategy[WallInterval]:
    """Every day or every few days."""
    return st.builds(WallInterval, st.integers(1, 40), place.instants, st.just(ZoneInfo(place.zone)))


def plain_rules(place: Place) -> st.SearchStrategy[Rule]:
    """Crontabs, intervals of both kinds, single instants."""
    return st.one_of(
        crontabs().map(lambda spelled: spelled.rule(place.zone)),
        st.builds(Interval, st.timedeltas(SHORTEST, timedelta(days=40)), st.just(EPOCH) | place.instants),
        wall_intervals(place),
        st.builds(Once, place.instants),
    )


def excluding_rules(place: Place) -> st.SearchStrategy[Excluding]:
    """Plain ones that rest on some dates, mostly far away, at times the day that is asked about."""
    zone = ZoneInfo(place.zone)
    near_dates = place.instants.map(lambda instant: frozenset({instant.astimezone(zone).date()}))
    return st.builds(Excluding, plain_rules(place), st.one_of(some_dates, near_dates), st.just(zone))


@st.composite
def bounded_rules(draw: st.DrawFn, place: Place) -> Bounded:
    """Any of the others between two instants, of which either may be missing; often they are fire times themselves."""
    rule = draw(st.one_of(plain_rules(place), excluding_rules(place)))
    fire_times = place.instants.map(rule.next_after)
    bound = st.one_of(st.none(), place.instants, fire_times)
    return Bounded(rule, draw(bound), draw(bound))


def rules(place: Place) -> st.SearchStrategy[Rule]:
    """Any rule."""
    return st.one_of(plain_rules(place), excluding_rules(place), bounded_rules(place))


def cases(
    kind: Callable[[Place], st.SearchStrategy[AnyRule]], count: int = 1
) -> st.SearchStrategy[tuple[AnyRule, list[datetime]]]:
    """A rule, and instants in order to ask it about."""
    return places.flatmap(
        lambda place: st.tuples(kind(place), st.lists(place.instants, min_size=count, max_size=count).map(sorted))
    )
