"""Jobs: registered by name, checked against their parameters before they run."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from workers.jobs import base
from workers.jobs.base import JobRefused, Run, find, job


@pytest.fixture(autouse=True)
def own_registry() -> Generator[None]:
    """Jobs of a test are forgotten after it."""
    before = dict(base._registry)
    yield
    base._registry.clear()
    base._registry.update(before)


def sync(run: Run, *, feed: str, pages: int = 1) -> None:
    """A job with one required and one optional parameter."""


def test_a_registered_job_is_found_with_its_task_name() -> None:
    assert job("test_sync", per_account=True)(sync) is sync
    found = find("test_sync")
    assert (found.task_name, found.function, found.per_account) == ("jobs.test_sync", sync, True)


def test_an_unknown_job_is_refused_with_the_known_names() -> None:
    job("test_sync")(sync)
    with pytest.raises(JobRefused, match=r"no job is named 'test_sink': known are .*test_sync"):
        find("test_sink")


@pytest.mark.parametrize("params", [{"feed": "ads"}, {"feed": "ads", "pages": 2}])
def test_parameters_that_fit_pass(params: dict[str, Any]) -> None:
    job("test_sync")(sync)
    find("test_sync").check(params)


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "feed"),
        ({"feed": "ads", "page": 2}, "page"),
        ({"feed": "ads", "run": 1}, "run"),
        ({1: "ads"}, "must be strings"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_by_name(params: dict[Any, Any], complaint: str) -> None:
    job("test_sync")(sync)
    with pytest.raises(JobRefused, match=f"job 'test_sync' does not take these parameters: .*{complaint}"):
        find("test_sync").check(params)


def test_a_name_that_another_module_has_is_refused() -> None:
    job("test_sync")(sync)

    def other(run: Run) -> None:
        """A job of another module."""

    other.__module__ = "elsewhere"
    with pytest.raises(JobRefused, match=f"registered twice: {__name__} has it"):
        job("test_sync")(other)
    assert find("test_sync").function is sync


def test_a_module_that_is_loaded_anew_may_register_its_job_anew() -> None:
    job("test_sync")(sync)
    job("test_sync", per_account=True)(sync)
    assert find("test_sync").per_account


def test_every_file_of_the_folder_is_discovered_under_its_own_names() -> None:
    assert all(found.name == name for name, found in base.discover().items())
