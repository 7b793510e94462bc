"""What the ready-made jobs refuse when a schedule is saved."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from workers.jobs.base import JobRefused, discover

JOBS = discover()
HOOK = "https://example.com/hook"


@pytest.mark.parametrize(
    ("job", "params"),
    [
        ("sync_feed", {"feed": "slots"}),
        ("sync_feed", {"feed": "seller.ads-v2_x", "limit": 1000}),
        ("call_url", {"url": HOOK}),
        ("call_url", {"url": "http://10.0.0.1:8080/x", "payload": {"a": [1]}, "secret_name": "ACME_2"}),
        ("call_url", {"url": HOOK, "timeout_seconds": 0.5}),
        ("run_command", {"command": "housekeeping"}),
        ("run_command", {"command": "housekeeping", "args": ["--batch-size", 100]}),
    ],
)
def test_good_parameters_pass(job: str, params: dict[str, Any]) -> None:
    JOBS[job].check(params)


@pytest.mark.parametrize(
    ("job", "params", "complaint"),
    [
        ("sync_feed", {}, "feed"),
        ("sync_feed", {"feed": ""}, "feed ''"),
        ("sync_feed", {"feed": "a/b"}, "feed 'a/b'"),
        ("sync_feed", {"feed": "f" * 101}, "1 to 100"),
        ("sync_feed", {"feed": 7}, "feed 7"),
        ("sync_feed", {"feed": "slots", "limit": 0}, "limit 0"),
        ("sync_feed", {"feed": "slots", "limit": True}, "limit True"),
        ("sync_feed", {"feed": "slots", "limit": "200"}, "limit '200'"),
        ("call_url", {}, "url"),
        ("call_url", {"url": "example.com/hook"}, "must be an http"),
        ("call_url", {"url": "ftp://example.com"}, "must be an http"),
        ("call_url", {"url": "http://"}, "must be an http"),
        ("call_url", {"url": "http://h:99999/"}, "must be an http"),
        ("call_url", {"url": "http://[::1/"}, "must be an http"),
        ("call_url", {"url": 5}, "must be an http"),
        ("call_url", {"url": "https://u:p@example.com"}, "user or password"),
        ("call_url", {"url": HOOK, "payload": [1]}, "payload must be an object"),
        ("call_url", {"url": HOOK, "payload": {"a": "x\x00"}}, "payload.a holds a NUL"),
        ("call_url", {"url": HOOK, "secret_name": "acme"}, "secret_name 'acme'"),
        ("call_url", {"url": HOOK, "timeout_seconds": 0}, "timeout_seconds 0"),
        ("call_url", {"url": HOOK, "timeout_seconds": 3600}, "timeout_seconds 3600"),
        ("call_url", {"url": HOOK, "timeout_seconds": "5"}, "timeout_seconds '5'"),
        ("run_command", {"command": "flush"}, "SLOTBEAT_RUN_COMMANDS"),
        ("run_command", {"command": "housekeeping", "args": "--x"}, "must be a list"),
        ("run_command", {"command": "housekeeping", "args": [{}]}, "must be a list"),
    ],
)
def test_bad_parameters_are_refused(job: str, params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(JobRefused, match=complaint):
        JOBS[job].check(params)


def test_an_allowed_command_that_is_not_there_is_refused(settings: Settings) -> None:
    settings.SLOTBEAT_RUN_COMMANDS = ["tidy_up"]
    with pytest.raises(JobRefused, match="no management command 'tidy_up'"):
        JOBS["run_command"].check({"command": "tidy_up"})
