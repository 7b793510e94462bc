"""What `schedules apply` refuses: every problem at its line and field, all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from django_celery_beat.models import PeriodicTask

from schedules.registry.apply import apply
from schedules.registry.problems import RegistryRefused

pytestmark = pytest.mark.django_db

TASK = "    task: fan_out\n    kwargs: {job: sync_feed, params: {feed: a}}\n"
EVERY = "    every: 1 day\n"


def problems(tmp_path: Path, text: str | bytes) -> list[tuple[int, str, str]]:
    file = tmp_path / "schedules.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RegistryRefused) as caught:
        apply(file)
    assert not PeriodicTask.objects.exists()
    return [(problem.line, problem.place, problem.text) for problem in caught.value.problems]


def one(found: list[tuple[int, str, str]], line: int, place: str, complaint: str) -> bool:
    return len(found) == 1 and found[0][:2] == (line, place) and complaint in found[0][2]


@pytest.mark.parametrize(
    ("line", "place", "complaint"),
    [
        ("colour: red", "colour", "no such field"),
        ("enable: true", "enable", "did you mean 'enabled'?"),
        ("queue: nix", "queue", "No worker reads the queue 'nix'"),
        ("queue: [a]", "queue", "not a text"),
        ("priority: high", "priority", "not a whole number"),
        ("priority: 256", "priority", "less than or equal to 255"),
        ("expire_seconds: 1.5", "expire_seconds", "not a whole number"),
        ("expire_seconds: -1", "expire_seconds", "greater than or equal to 0"),
        ("enabled: maybe", "enabled", "neither true nor false"),
        ("one_off: 1", "one_off", "neither true nor false"),
        ("description: {a: b}", "description", "not a text"),
        ('description: "a\\0b"', "description", "NUL"),
        ('description: "\\ud800"', "description", "surrogate"),
        ("start_time: tomorrow", "start_time", "no instant"),
        ("start_time: 2026-01-01T10:00:00", "start_time", "has no zone"),
        ("start_time: 2026-01-01", "start_time", "quote it"),
        ("start_time: 2026-13-01T10:00:00Z", "start_time", "cannot be read"),
        ("end: 0001-01-01T00:00:00+05:00", "end", "outside the calendar"),
        ("end: 1960-01-01T00:00:00Z", "every", "would never fire"),
        ("timezone: Europe/Moscow", "timezone", "only a crontab rule has a zone"),
        ("args: {a: b}", "args", "must be a list"),
        ("args: [1, 2, 3, 4]", "kwargs", "does not take these arguments"),
        ("options: [a]", "options", "must be a mapping"),
        ("options: {leases: 3}", "options.leases", "no such field"),
        ("options: {lease_seconds: 1}", "options.lease_seconds", "greater than or equal to 3"),
        ("options: {lease_seconds: long}", "options.lease_seconds", "not a whole number"),
        ("options: {catch_up: never}", "options.catch_up", "Use one of skip, latest, all"),
        ("options: {overlap: no}", "options.overlap", "not a text: quote it"),
        ("options: {overlap: both}", "options.overlap", "Use one of skip, allow_all"),
        ("options: {catchup_window_seconds: 90000}", "options.catchup_window_seconds", "less than or equal to 43200"),
    ],
)
def test_a_bad_field_is_refused_at_its_line(tmp_path: Path, line: str, place: str, complaint: str) -> None:
    text = f"schedules:\n  a:\n{TASK}{EVERY}    {line}\n"
    at = {"kwargs": 4, "every": 5}.get(place, 6)
    assert one(found := problems(tmp_path, text), at, f"a.{place}", complaint), found


@pytest.mark.parametrize(
    ("rule", "place", "complaint"),
    [
        ("every: 2 secs", "every", "write it as in"),
        ("every: 2", "every", "not a text"),
        ("every: 0 seconds", "every", "shortest interval is 100 milliseconds"),
        ("every: 1 microsecond", "every", "shortest interval is 100 milliseconds"),
        ("every: 36526 days", "every", "longest interval is 100 years"),
        ("every: 9999999999 days", "every", "too long"),
        ("every: 99999999999 microseconds", "every", "less than or equal to 2147483647"),
        ("crontab: 0 6 * *", "crontab", "has 4 fields"),
        ("crontab: '@daily'", "crontab", "has 1 fields"),
        ("crontab: 61 * * * *", "crontab", "minute '61' cannot be read: 61 is outside 0-59"),
        ("crontab: 0 6 31 2 *", "crontab", "never comes"),
        ("crontab: 0 6 * * x", "crontab", "day of week 'x' cannot be read"),
        ("at: noon", "at", "no instant"),
        ("at: 2026-01-31T06:00:00", "at", "has no zone"),
        ("description: none", "", "it has no rule"),
        ("every: 1 day\n    at: 2026-01-31T06:00:00Z", "", "it has every and at"),
    ],
)
def test_a_bad_rule_is_refused_at_its_line(tmp_path: Path, rule: str, place: str, complaint: str) -> None:
    found = problems(tmp_path, f"schedules:\n  a:\n{TASK}    {rule}\n")
    assert any(complaint in text for _, _, text in found), found
    assert (5, f"a.{place}") in [(line, where) for line, where, _ in found] if place else found[0][:2] == (2, "a")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "Europe", "", "UTC+3"])
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str) -> None:
    found = problems(tmp_path, f"schedules:\n  a:\n{TASK}    crontab: 0 6 * * *\n    timezone: '{zone}'\n")
    assert one(found, 6, "a.timezone", "is not known here: take a name such as Europe/Berlin"), found


@pytest.mark.parametrize(
    ("task", "place", "complaint"),
    [
        ("task: fan_ou", "task", "did you mean 'fan_out'"),
        ("kwargs: {}", "task", "it is missing"),
        ("task: fan_out", "kwargs", "does not take these arguments"),
        ("task: fan_out\n    kwargs: {job: nothing}", "kwargs", "no job is named 'nothing'"),
        ("task: fan_out\n    kwargs: {job: run_command, params: {command: x}}", "kwargs", "is not for accounts"),
        ("task: fan_out\n    kwargs: {job: sync_feed, params: {fed: a}}", "kwargs", "does not take these parameters"),
        ("task: jobs.run_command\n    kwargs: {command: flush}", "kwargs", "SLOTBEAT_RUN_COMMANDS"),
        ("task: jobs.call_url\n    kwargs: {url: nowhere}", "kwargs", "must be an http"),
        ("task: fan_out\n    kwargs: [1]", "kwargs", "must be a mapping"),
        ("task: fan_out\n    kwargs: {job: 2026-01-01}", "kwargs.job", "quote it"),
        ("task: fan_out\n    kwargs: {job: 2026-01-01T10:00:00Z}", "kwargs", "JSON cannot hold it"),
        ("task: fan_out\n    kwargs: {job: .nan}", "kwargs.job", "no JSON number"),
        ("task: fan_out\n    kwargs: {job: !!binary aGk=}", "kwargs.job", "a bytes has no place"),
        ("task: fan_out\n    kwargs: {job: !!python/name:os.system x}", "kwargs.job", "cannot be read"),
        ("task: fan_out\n    kwargs: {job: a, job: b}", "kwargs.job", "stands on line 4 already"),
        ("task: fan_out\n    kwargs: {1: a}", "kwargs", "the key '1' is not a text"),
    ],
)
def test_a_bad_task_or_its_arguments_are_refused(tmp_path: Path, task: str, place: str, complaint: str) -> None:
    found = problems(tmp_path, f"schedules:\n  a:\n    {task}\n{EVERY}")
    assert any(where == f"a.{place}" and complaint in text for _, where, text in found), found


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("", 1, "the file is empty"),
        ("# nothing\n", 1, "the file is empty"),
        ("- a\n", 1, "must be a mapping"),
        ("jobs: {}\n", 1, "no such field"),
        ("schedules: 7\n", 1, "must be a mapping"),
        ("schedules:\n  a:\n    crontab: */5 * * * *\n", 3, "quote a text that begins with a star"),
        ("schedules:\n  a: &x {task: b}\n  b: *x\n", 3, "aliases are not read"),
        ("schedules: {}\n---\nb: c\n", 2, "keep the first one only"),
        ("schedules:\n\ta: b\n", 2, "cannot be read"),
        ("schedules:\n  a: b\x01\n", 2, "remove the character"),
        (b"schedules:\n  \xff: b\n", 2, "not UTF-8"),
        ("schedules:\n  a:\n", 2, "must be a mapping"),
        ("schedules:\n  a: {}\n", 2, "it is empty"),
        (f"schedules:\n  7:\n{TASK}{EVERY}", 2, "the key '7' is not a text"),
        (f"schedules:\n  a:\n{TASK}{EVERY}  a:\n{TASK}{EVERY}", 6, "stands on line 2 already"),
        (f"schedules:\n  {'n' * 201}:\n{TASK}{EVERY}", 2, "at most 200"),
        (f"schedules:\n  'a ':\n{TASK}{EVERY}", 2, "white space stands around"),
        ("schedules: " + "[" * 5000, 1, "nested too deeply"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str | bytes, line: int, complaint: str) -> None:
    found = problems(tmp_path, text)
    assert any(at == line and complaint in why for at, _, why in found), found


def test_every_problem_of_every_schedule_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "schedules.yaml"
    file.write_text(
        "schedules:\n"
        "  a:\n    task: fan_ou\n    queue: nix\n    crontab: 0 6 31 2 *\n    colour: red\n"
        "  b:\n    every: 2 secs\n    options: {lease_seconds: x}\n"
        f"  c:\n{TASK}{EVERY}    options: {{lease_seconds: 1, overlap: never}}\n"
    )
    with pytest.raises(RegistryRefused) as caught:
        apply(file)
    places = [problem.place for problem in caught.value.problems]
    assert places == [
        "a.task",
        "a.queue",
        "a.crontab",
        "a.colour",
        "b.task",
        "b.every",
        "b.options.lease_seconds",
        "c.options.lease_seconds",
        "c.options.overlap",
    ]
    assert str(caught.value).splitlines()[0].startswith(f"{file}:3: a.task: No worker knows")
    assert str(caught.value).splitlines()[-1] == f"9 problems in {file}: nothing was applied"
