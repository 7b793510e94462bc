"""The schedules that the timing bench asks about: the same on every run, and free of what peers read differently.

Day of month and day of week are never both restricted: celery joins them with AND, cron with OR.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

SEED = 20_260_101
YEAR_BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
YEAR = timedelta(days=365)
INSTANTS_A_CRONTAB = 10

ZONES = (
    *("UTC", "Europe/Berlin", "Europe/London", "America/New_York"),
    *("America/Sao_Paulo", "Asia/Kolkata", "Asia/Ho_Chi_Minh", "Australia/Sydney"),
)
CRONTABS = (
    *("* * * * *", "*/5 * * * *", "*/15 * * * *", "0 * * * *", "17 * * * *", "0,30 * * * *"),
    *("*/15 9-17 * * mon-fri", "0 8-20/2 * * *", "*/10 0-5,22,23 * * *", "30 7,12,18 * * *"),
    *("0 0 * * *", "30 2 * * *", "45 3 * * *", "0 9 * * mon-fri", "15 6 * * mon", "5 4 * * sat,sun"),
    *("0 0 1 * *", "0 4 1,15 * *", "20 5 1 1,4,7,10 *", "0 12 28-31 * *"),
)
INTERVALS = (
    *((10, "seconds"), (30, "seconds"), (1, "minutes"), (2, "minutes"), (5, "minutes"), (15, "minutes")),
    *((1, "hours"), (6, "hours"), (1, "days"), (7, "days")),
)


Fields: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class CrontabCase:
    """A crontab, its zone's name and the UTC instants after which its next fire time is asked for."""

    fields: Fields
    zone: str
    instants: tuple[datetime, ...]

    @property
    def text(self) -> str:
        """The crontab in one line, as cron takes it."""
        return " ".join(self.fields)


@dataclass(frozen=True, slots=True)
class Row:
    """One schedule as its row says it: `every` and `period` of an interval, or five fields and a zone's name."""

    every: int = 0
    period: str = ""
    fields: Fields | None = None
    zone: str = ""


def crontab_cases() -> list[CrontabCase]:
    """Every crontab in every zone, each at instants spread over a year."""
    dice = random.Random(SEED)  # noqa: S311 a mix, no secret
    return [
        CrontabCase(_fields(text), zone, tuple(_instant(dice) for _ in range(INSTANTS_A_CRONTAB)))
        for text in CRONTABS
        for zone in ZONES
    ]


def _fields(text: str) -> Fields:
    minute, hour, day_of_month, month_of_year, day_of_week = text.split()
    return minute, hour, day_of_month, month_of_year, day_of_week


def interval_instants(count: int = 100) -> list[datetime]:
    """Instants spread over a year."""
    dice = random.Random(SEED)  # noqa: S311 a mix, no secret
    return [_instant(dice) for _ in range(count)]


def rows(count: int) -> list[Row]:
    """Schedules as many teams would have them: three in five crontabs, most at a minute and hour of their own."""
    dice = random.Random(SEED)  # noqa: S311 a mix, no secret
    return [_crontab_row(dice) if dice.random() < 0.6 else _interval_row(dice) for _ in range(count)]


def _instant(dice: random.Random) -> datetime:
    return YEAR_BEGINS + timedelta(microseconds=dice.randrange(YEAR // timedelta(microseconds=1)))


def _crontab_row(dice: random.Random) -> Row:
    minute, hour = str(dice.randrange(60)), str(dice.randrange(24))
    fields = dice.choice(
        [
            (minute, "*", "*", "*", "*"),
            (f"*/{dice.choice((5, 10, 15))}", "*", "*", "*", "*"),
            (f"*/{dice.choice((15, 30))}", "9-17", "*", "*", "mon-fri"),
            (minute, hour, "*", "*", "*"),
            (minute, hour, "*", "*", "*"),
            (minute, hour, "*", "*", "mon-fri"),
            (minute, hour, "*", "*", str(dice.randrange(7))),
            (minute, hour, str(dice.randrange(1, 29)), "*", "*"),
        ]
    )
    return Row(fields=fields, zone=dice.choice(ZONES))


def _interval_row(dice: random.Random) -> Row:
    every, period = dice.choice(INTERVALS)
    return Row(every=every, period=period)
