"""A crontab as a sentence, from the numbers its fields name: however they are written, equal ones read alike. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from schedules.timing.cron_fields import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, FieldSpec, read_field
from schedules.timing.crontab import Crontab

_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_AT_ONCE = 6  # so many times of day are listed one by one
_SPANS = 3
Numbers = tuple[int, ...]


class _Times(NamedTuple):
    """The times of day; every field in order."""

    hours: Numbers
    minutes: Numbers
    seconds: Numbers


def crontab_in_words(rule: Crontab) -> str:
    """As in `at 00:00 on day 13 of the month AND on Friday (UTC)`: AND stands where both must hold."""
    times = _Times(_read(HOUR, rule.hour), _read(MINUTE, rule.minute), _read(SECOND, rule.seconds))
    when = _times_of_day(times)
    days = " AND ".join(_days(rule))
    # "every 5 minutes" needs no "every day", "at 06:00" does.
    if not days and ":" in when:
        days = "every day"
    return f"{' '.join(part for part in (when, days, _months(rule)) if part)} ({rule.zone.key})"


def _read(spec: FieldSpec, text: str) -> Numbers:
    return read_field(spec, text).numbers


def _days(rule: Crontab) -> list[str]:
    numbers, weekdays = _read(DAY, rule.day_of_month), _read(WEEKDAY, rule.day_of_week)
    restricted = (len(numbers) < 31, len(weekdays) < 7, bool(rule.month_day))
    word = "or" if sum(restricted) > 1 else "and"
    parts = (
        f"on {_counted(numbers, 'day', word)} of the month",
        f"on {_named(weekdays, lambda number: _WEEKDAYS[number % 7], (1, 7), word)}",
        f"on the {_month_day(rule.month_day)} of the month",
    )
    return [part for part, counts in zip(parts, restricted, strict=True) if counts]


def _month_day(text: str) -> str:
    ordinal, _, name = " ".join(text.lower().split()).partition(" ")
    if name == "weekday":
        return f"{ordinal} weekday (Monday to Friday)"
    found = [weekday for weekday in _WEEKDAYS if name and weekday.lower().startswith(name)]
    return f"{ordinal} {found[0] if found else name}"


def _months(rule: Crontab) -> str:
    numbers = _read(MONTH, rule.month_of_year)
    if len(numbers) == 12:
        return ""
    return f"in {_named(numbers, lambda number: _MONTHS[(number - 1) % 12], (1, 12), 'and')}"


def _times_of_day(times: _Times) -> str:
    hours, minutes, seconds = times
    if len(hours) * len(minutes) * len(seconds) <= _AT_ONCE:
        shown = product(hours, minutes, [None] if seconds == (0,) else seconds)
        return f"at {_joined([_clock(*each) for each in shown], 'and')}"
    if seconds != (0,):
        return _by_second(times)
    return _hourly(hours, minutes[0]) if len(minutes) == 1 else _by_minute(hours, minutes)


def _hourly(hours: Numbers, minute: int) -> str:
    step = _step(hours)
    if len(hours) == 24:
        return f"every hour at minute {minute}" if minute else "every hour"
    if not step:
        return f"at minute {minute} of {_hours(hours)}"
    rhythm = "every hour" if step == 1 else f"every {step} hours"
    if minute == 0 and hours == tuple(range(0, 24, step)) and 24 % step == 0:
        return rhythm
    return f"{rhythm} from {_clock(hours[0], minute)} to {_clock(hours[-1], minute)}"


def _by_minute(hours: Numbers, minutes: Numbers) -> str:
    rhythm = _rhythm(minutes, "minute")
    if rhythm and len(hours) == 24:
        return _ticks(minutes, "minute")
    spans = _runs(hours)
    if rhythm and len(spans) <= _SPANS:
        clocks = [f"from {_clock(span[0], minutes[0])} to {_clock(span[-1], minutes[-1])}" for span in spans]
        return f"{rhythm} {_joined(clocks, 'and')}"
    return f"{_ticks(minutes, 'minute')} of {_hours(hours)}"


def _by_second(times: _Times) -> str:
    hours, minutes, seconds = times
    rhythm, spans = _rhythm(seconds, "second"), _runs(hours)
    at_all = len(minutes) == 60
    if rhythm and at_all and len(hours) == 24:
        return _ticks(seconds, "second")
    if rhythm and at_all and len(spans) <= _SPANS:
        ends = [(_clock(span[0], 0, seconds[0]), _clock(span[-1], 59, seconds[-1])) for span in spans]
        return f"{rhythm} {_joined([f'from {first} to {last}' for first, last in ends], 'and')}"
    inside = "every minute" if at_all else _counted(minutes, "minute", "and")
    of_hours = "" if at_all and len(hours) == 24 else f" of {_hours(hours)}"
    return f"{_ticks(seconds, 'second')} of {inside}{of_hours}"


def _hours(hours: Numbers) -> str:
    return "every hour" if len(hours) == 24 else _counted(hours, "hour", "and")


def _ticks(numbers: Numbers, unit: str) -> str:
    """As in `every 15 minutes from minute 5` or `at minutes 0 and 7`."""
    rhythm = _rhythm(numbers, unit)
    if not rhythm:
        return f"at {_counted(numbers, unit, 'and')}"
    return f"{rhythm} from {unit} {numbers[0]}" if numbers[0] else rhythm


def _rhythm(numbers: Numbers, unit: str) -> str:
    """As in `every 15 minutes`, where the step goes on evenly from one hour to the next; empty where it does not."""
    step = _step(numbers)
    if not step or len(numbers) * step != 60:
        return ""
    return f"every {unit}" if step == 1 else f"every {step} {unit}s"


def _step(numbers: Numbers) -> int:
    """The distance between any two neighbours, 0 where it differs."""
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return steps.pop() if len(steps) == 1 else 0


def _counted(numbers: Numbers, unit: str, word: str) -> str:
    """As in `day 13`, `days 1 to 7 and 15` or `every 7th minute from 0 to 56`."""
    step = _step(numbers)
    if step > 1 and len(numbers) >= 5:
        return f"every {_ordinal(step)} {unit} from {numbers[0]} to {numbers[-1]}"
    if len(numbers) == 1:
        return f"{unit} {numbers[0]}"
    return f"{unit}s {_joined(_shortened(_runs(numbers), str), word)}"


def _named(numbers: Numbers, name: Callable[[int], str], ends: tuple[int, int], word: str) -> str:
    """As in `Monday to Wednesday and Friday`; a run may go around the end, as in `Friday to Monday`."""
    first, last = ends
    runs = _runs(tuple(sorted(number or last for number in numbers)))
    if len(runs) > 1 and runs[0][0] == first and runs[-1][-1] == last and len(runs[0]) + len(runs[-1]) > 2:
        runs = [*runs[1:-1], (*runs[-1], *runs[0])]
    return _joined(_shortened(runs, name), word)


def _runs(numbers: Numbers) -> list[Numbers]:
    """Split where a number is left out."""
    found: list[Numbers] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1] = (*found[-1], number)
        else:
            found.append((number,))
    return found


def _shortened(runs: Sequence[Numbers], name: Callable[[int], str]) -> list[str]:
    shown: list[str] = []
    for run in runs:
        shown += [f"{name(run[0])} to {name(run[-1])}"] if len(run) > 2 else [name(number) for number in run]
    return shown


def _joined(parts: Sequence[str], word: str) -> str:
    *rest, last = parts
    return f"{', '.join(rest)} {word} {last}" if rest else last


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number < 20 else ending}"


def _clock(hour: int, minute: int, second: int | None = None) -> str:
    return f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}")
