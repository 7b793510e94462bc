"""Rules as sentences: every form the fields take, and no two different meanings under one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.timing.cron_fields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, FieldSpec, read_field
from schedules.timing.exclusion import Excluding
from schedules.timing.expression import read_expression
from schedules.timing.interval import EPOCH, Interval, WallInterval
from schedules.timing.rule import Bounded, Once, Rule
from schedules.timing.solar import EVENTS, Solar
from schedules.timing.words import in_words
from tests.support.rules import utc

UTC_ZONE = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")


def words(expression: str, month_day: str = "") -> str:
    """The sentence without its zone."""
    return in_words(read_expression(expression, UTC_ZONE, month_day)).removesuffix(" (UTC)")


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("* * * * *", "every minute"),
        ("*/5 * * * *", "every 5 minutes"),
        ("5,35 * * * *", "every 30 minutes from minute 5"),
        ("*/7 * * * *", "at every 7th minute from 0 to 56 of every hour"),
        ("0 * * * *", "every hour"),
        ("17 * * * *", "every hour at minute 17"),
        ("0 */2 * * *", "every 2 hours"),
        ("15 */2 * * *", "every 2 hours from 00:15 to 22:15 every day"),
        ("0 8-20/2 * * *", "every 2 hours from 08:00 to 20:00 every day"),
        ("0 9-17 * * *", "every hour from 09:00 to 17:00 every day"),
        ("0 6 * * *", "at 06:00 every day"),
        ("0,30 8 * * *", "at 08:00 and 08:30 every day"),
        ("* 9 * * *", "every minute from 09:00 to 09:59 every day"),
        ("*/15 9-17 * * *", "every 15 minutes from 09:00 to 17:45 every day"),
        ("*/5 */4 * * *", "every 5 minutes of every 4th hour from 0 to 20"),
        ("10-20 1,4,9,12,15 * * *", "at minutes 10 to 20 of hours 1, 4, 9, 12 and 15"),
        ("*/15 22-2 * * *", "every 15 minutes from 00:00 to 02:45 and from 22:00 to 23:45 every day"),
    ],
)
def test_times_of_day(expression: str, sentence: str) -> None:
    assert words(expression) == sentence


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("* * * * * *", "every second"),
        ("*/10 * * * * *", "every 10 seconds"),
        ("30 0 6 * * *", "at 06:00:30 every day"),
        ("0,30 0 6 * * *", "at 06:00:00 and 06:00:30 every day"),
        ("*/10 * 9-17 * * *", "every 10 seconds from 09:00:00 to 17:59:50 every day"),
        ("30 * * * * *", "at second 30 of every minute"),
        ("30 */15 9-17 * * *", "at second 30 of minutes 0, 15, 30 and 45 of hours 9 to 17"),
        ("*/10 9-17 * * * *", "every 10 seconds of minutes 9 to 17 of every hour"),
    ],
)
def test_seconds(expression: str, sentence: str) -> None:
    assert words(expression) == sentence


@pytest.mark.parametrize(
    ("fields", "when"),
    [
        ("* * 7", "on Sunday"),
        ("* * sun", "on Sunday"),
        ("* * 0,6", "on Saturday and Sunday"),
        ("* * mon-fri", "on Monday to Friday"),
        ("* * fri-mon", "on Friday to Monday"),
        ("* * 5-7", "on Friday to Sunday"),
        ("* * 1-3,5", "on Monday to Wednesday and Friday"),
        ("* * */2", "on Tuesday, Thursday, Saturday and Sunday"),
        ("* * 0-7", "every day"),
        ("13 * *", "on day 13 of the month"),
        ("28-31 * *", "on days 28 to 31 of the month"),
        ("1,15 * *", "on days 1 and 15 of the month"),
        ("*/2 * *", "on every 2nd day from 1 to 31 of the month"),
        ("29 feb *", "on day 29 of the month in February"),
        ("* nov-feb *", "every day in November to February"),
        ("* 1,7 mon", "on Monday in January and July"),
        ("* */3 *", "every day in January, April, July and October"),
    ],
)
def test_days_and_months(fields: str, when: str) -> None:
    assert words(f"0 6 {fields}") == f"at 06:00 {when}"


@pytest.mark.parametrize(
    ("expression", "month_day", "sentence"),
    [
        ("0 22 1-7 * 6", "", "at 22:00 on days 1 to 7 of the month AND on Saturday"),
        ("0 0 13 * 5", "", "at 00:00 on day 13 of the month AND on Friday"),
        ("0 0 1,15 * 1,5", "", "at 00:00 on days 1 or 15 of the month AND on Monday or Friday"),
        ("0 0 13 * *", "2nd fri", "at 00:00 on day 13 of the month AND on the 2nd Friday of the month"),
    ],
)
def test_b10_and_is_said_where_both_must_hold(expression: str, month_day: str, sentence: str) -> None:
    assert words(expression, month_day) == sentence


@pytest.mark.parametrize(
    ("month_day", "day"),
    [
        ("last day", "last day"),
        ("Last  Fri", "last Friday"),
        ("2nd tue", "2nd Tuesday"),
        ("last weekday", "last weekday (Monday to Friday)"),
    ],
)
def test_b11_days_of_the_month_by_name(month_day: str, day: str) -> None:
    assert words("30 23 * * *", month_day) == f"at 23:30 on the {day} of the month"


def test_the_zone_is_named() -> None:
    rule = read_expression("*/15 9-17 * * mon-fri", BERLIN)
    assert in_words(rule) == "every 15 minutes from 09:00 to 17:45 on Monday to Friday (Europe/Berlin)"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Interval(timedelta(seconds=1)), "every second"),
        (Interval(timedelta(minutes=90)), "every 90 minutes"),
        (Interval(timedelta(milliseconds=250)), "every 250 milliseconds"),
        (Interval(timedelta(days=2)), "every 2 days"),
        (WallInterval(1, utc("2026-01-01T05:00"), BERLIN), "every day at 06:00 (Europe/Berlin)"),
        (WallInterval(3, utc("2026-01-01T05:00:30"), BERLIN), "every 3 days at 06:00:30 (Europe/Berlin)"),
        (Once(utc("2026-01-31T06:00")), "once at 2026-01-31 06:00:00 UTC"),
        (Solar("sunrise", 69.65, 18.96), "at sunrise at latitude 69.65, longitude 18.96"),
        (Solar("dawn_civil", -33, 151.5), "at civil dawn at latitude -33, longitude 151.5"),
        (Solar("solar_noon", 0, 0), "at solar noon at latitude 0, longitude 0"),
        (
            Bounded(Excluding(Interval(timedelta(hours=1)), frozenset({date(2026, 1, 1)}), UTC_ZONE), EPOCH),
            "every hour",
        ),
    ],
)
def test_every_kind_of_rule_has_its_words(rule: Rule, sentence: str) -> None:
    assert in_words(rule) == sentence


def test_no_two_solar_events_read_alike() -> None:
    assert len({in_words(Solar(event, 0, 0)) for event in EVENTS}) == len(EVENTS)


def field(spec: FieldSpec) -> st.SearchStrategy[str]:
    """A star, a step, a range in either direction, a list."""
    number = st.integers(spec.lowest, spec.highest)
    step = st.integers(1, spec.highest)
    return st.one_of(
        st.just("*"),
        step.map(lambda n: f"*/{n}"),
        number.map(str),
        st.builds("{}-{}".format, number, number),
        st.builds("{}-{}/{}".format, number, number, step),
        st.lists(number, min_size=1, max_size=8).map(lambda numbers: ",".join(map(str, numbers))),
    )


SPECS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)


def numbers_of(fields: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    return tuple(read_field(spec, text).numbers for spec, text in zip(SPECS, fields, strict=True))


SIXTIETHS = ("0", "5", "30", "0,30", "5,35", "0-2", "0-9", "*/10", "5-59/10", "*/7", "1,2,4,8,16,32", "*", "0-58")
HOURS = ("0", "9", "9,17", "9-11", "9-17", "22-2", "*/2", "1-23/2", "*/5", "*/4", "1,4,5,6,9,12", "8-20/2", "*", "0-22")
DAYS = ("1", "13", "1,15", "1-7", "28-31", "*/2", "1-9/2", "1,2,4,8,16", "*", "1-30")
MONTHS = ("1", "nov-feb", "*/3", "1,7", "*", "1-11")
WEEKDAYS = ("0", "7", "mon-fri", "fri-mon", "0,6", "1-3,5", "*", "0-5", "1-6")


@pytest.mark.parametrize(
    "texts",
    [product(SIXTIETHS, SIXTIETHS, HOURS, ["*"], ["*"], ["*"]), product(["0"], ["0"], ["6"], DAYS, MONTHS, WEEKDAYS)],
    ids=["times", "dates"],
)
def test_one_sentence_has_one_meaning(texts: Iterable[tuple[str, ...]]) -> None:
    found = {(words(" ".join(fields)), numbers_of(fields)) for fields in texts}
    assert len({sentence for sentence, _ in found}) == len({meaning for _, meaning in found}) == len(found)


@given(st.sampled_from(range(6)), st.data())
def test_one_field_changed_changes_the_sentence(index: int, data: st.DataObject) -> None:
    usual = ["0", "0", "6", "*", "*", "*"]
    one, other = (data.draw(field(SPECS[index])) for _ in range(2))
    changed = [[*usual[:index], text, *usual[index + 1 :]] for text in (one, other)]
    alike = numbers_of(changed[0]) == numbers_of(changed[1])
    assert (words(" ".join(changed[0])) == words(" ".join(changed[1]))) is alike
