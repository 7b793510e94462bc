"""The environment: typed readers fail loudly, production names every server."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from scheduler_project.environment import Environment

PRODUCTION = {"SLOTBEAT_ENV": "production"}


def test_development_takes_a_missing_address_from_the_address_book() -> None:
    env = Environment({}, {"REDIS_URL": "redis://127.0.0.1:1234/0"})

    assert env.address("REDIS_URL", "redis://host:6379/0") == "redis://127.0.0.1:1234/0"


def test_the_environment_goes_before_the_address_book() -> None:
    env = Environment({"REDIS_URL": "redis://mine:1/0"}, {"REDIS_URL": "redis://127.0.0.1:1234/0"})

    assert env.address("REDIS_URL", "redis://host:6379/0") == "redis://mine:1/0"


def test_development_without_a_server_leaves_the_address_empty() -> None:
    assert Environment({}, {}).address("DATABASE_URL", "postgresql://host/slotbeat") == ""


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "KAFKA_BOOTSTRAP_SERVERS"])
def test_production_refuses_a_missing_server_by_name(name: str) -> None:
    env = Environment(PRODUCTION, {name: "an address of a development server"})

    with pytest.raises(ImproperlyConfigured, match=f"{name} is not set: in production .* as in x:1"):
        env.address(name, "x:1")


def test_production_refuses_a_missing_secret() -> None:
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        Environment(PRODUCTION, {}).secret("SECRET_KEY", "a default")


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="SLOTBEAT_ENV is 'staging': set it to development or production"):
        Environment({"SLOTBEAT_ENV": "staging"}, {})


@pytest.mark.parametrize(("text", "expected"), [("1", True), ("TRUE", True), ("off", False), ("no", False)])
def test_a_switch_is_read_from_words(text: str, expected: bool) -> None:
    assert Environment({"DEBUG": text}, {}).switch("DEBUG", default=not expected) is expected


def test_a_switch_that_is_no_switch_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG is 'perhaps': set it to true or false"):
        Environment({"DEBUG": "perhaps"}, {}).switch("DEBUG", default=False)


def test_a_number_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ImproperlyConfigured, match="SLOTBEAT_DRAIN_SECONDS is 'soon': set it to a number such as 45"):
        Environment({"SLOTBEAT_DRAIN_SECONDS": "soon"}, {}).number("SLOTBEAT_DRAIN_SECONDS", 45)


def test_half_a_whole_number_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"is 1\.5: set it to a whole number such as 600"):
        Environment({"X_SECONDS": "1.5"}, {}).integer("X_SECONDS", 600)


def test_a_list_is_split_at_commas() -> None:
    assert Environment({"ALLOWED_HOSTS": "a.example, b.example,"}, {}).texts("ALLOWED_HOSTS", []) == [
        "a.example",
        "b.example",
    ]
