"""A file's `calendars`: names and their dates, upserted with the schedules that rest on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from yaml.nodes import Node, ScalarNode, SequenceNode

from schedules.models import Calendar, CalendarDate
from schedules.registry.problems import Problems
from schedules.registry.yaml_lines import Located, entries, line_of

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class CalendarEdit:
    """What storing a calendar changed: how many dates came and went."""

    name: str
    is_new: bool
    added: int
    removed: int

    @property
    def is_change(self) -> bool:
        """Whether a calendar of that name was different."""
        return not self.is_new and bool(self.added or self.removed)

    @property
    def title(self) -> str:
        """As it is told among the schedules."""
        return f"calendar {self.name}"

    @property
    def told(self) -> tuple[str, ...]:
        """As in `2 dates added`."""
        counts = (("added", self.added), ("removed", self.removed))
        return tuple(f"{count} date{'s' if count > 1 else ''} {word}" for word, count in counts if count)


def read_calendars(top: Mapping[str, Located], problems: Problems) -> dict[str, frozenset[date]]:
    """The calendars of the file; what is wrong is noted, and reading goes on."""
    if "calendars" not in top:
        return {}
    found = entries(top["calendars"].node, "calendars", problems)
    read = {name: _dates(f"calendars.{name}", located, problems) for name, located in found.items()}
    for name in [name for name in read if name != name.strip() or len(name) > _LONGEST_NAME]:
        text = f"a calendar's name has at most {_LONGEST_NAME} characters and no white space around it: change it"
        problems.add(found[name].line, f"calendars.{name}", text)
        del read[name]
    return read


def store_calendar(name: str, dates: frozenset[date]) -> CalendarEdit:
    """Makes the calendar have these dates, those it had already with their notes."""
    calendar, is_new = Calendar.objects.get_or_create(name=name)
    stored = set(calendar.dates.values_list("date", flat=True))
    added, removed = dates - stored, stored - dates
    if removed:
        calendar.dates.filter(date__in=removed).delete()
    CalendarDate.objects.bulk_create(CalendarDate(calendar=calendar, date=day) for day in sorted(added))
    return CalendarEdit(name, is_new, len(added), len(removed))


def _dates(place: str, located: Located, problems: Problems) -> frozenset[date]:
    if not isinstance(located.node, SequenceNode):
        problems.add(located.line, place, "this must be a list of dates, as in [2026-12-25, 2027-01-01]")
        return frozenset()
    lines: dict[date, int] = {}
    for index, node in enumerate(located.node.value):
        day = _date(node, f"{place}[{index}]", problems)
        if day in lines:
            problems.add(line_of(node), f"{place}[{index}]", f"{day} stands on line {lines[day]} already: remove one")
        elif day is not None:
            lines[day] = line_of(node)
    return frozenset(lines)


def _date(node: Node, place: str, problems: Problems) -> date | None:
    """Read from the text itself: YAML takes 2026-02-30 for a date and fails, and 2026-1-1 for one."""
    text = node.value if isinstance(node, ScalarNode) else ""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    shown = repr(text[:40]) if isinstance(node, ScalarNode) else "this"
    problems.add(line_of(node), place, f"{shown} is no date: write it as in 2026-12-25")
    return None
