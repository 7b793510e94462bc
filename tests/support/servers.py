"""A pytest plugin: starts throw-away servers once for the whole run, before Django's settings are read."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from scheduler_project.embedded.throw_away import ThrowAwayServers

_STARTED = "SLOTBEAT_TEST_SERVERS"
_UNIT_TESTS = Path(__file__).parents[1] / "unit"
_SERVERS = pytest.StashKey[ThrowAwayServers]()


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> Generator[None]:
    """Put the servers' addresses into the environment; pytest-django reads the settings further inside."""
    if _must_start(early_config, args):
        early_config.stash[_SERVERS] = _start()
    _choose_redis_database()
    try:
        return (yield)
    except BaseException:
        # Without a configuration pytest_unconfigure is never called.
        pytest_unconfigure(early_config)
        raise


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers this process started; xdist's workers started none."""
    servers = config.stash.get(_SERVERS, None)
    if servers is not None:
        servers.stop()
        os.environ.pop(_STARTED, None)


def _must_start(config: pytest.Config, args: list[str]) -> bool:
    if _STARTED in os.environ or "DATABASE_URL" in os.environ:
        return False
    options = config.known_args_namespace
    if options.help or options.version or options.collectonly or getattr(options, "markers", False):
        return False
    return not _only_unit_tests(config, args)


def _only_unit_tests(config: pytest.Config, args: list[str]) -> bool:
    named = list(config.known_args_namespace.file_or_dir)
    paths = [Path(config.invocation_params.dir, name.partition("::")[0]).resolve() for name in named]
    return bool(paths) and all(path.is_relative_to(_UNIT_TESTS) for path in paths)


def _start() -> ThrowAwayServers:
    servers = ThrowAwayServers()
    os.environ.update(servers.start())
    os.environ[_STARTED] = "1"
    return servers


def _choose_redis_database() -> None:
    """Give each xdist worker a database of its own, so that their keys never meet."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or "REDIS_URL" not in os.environ:
        return
    number = int(worker.removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{number}"))
