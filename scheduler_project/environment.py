"""Typed readers of the environment that fail loudly, and the two modes: development finds its servers in the address
book that `up` writes, production names every one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

DEVELOPMENT, PRODUCTION = "development", "production"
CHECKOUT = Path(__file__).resolve().parent.parent
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class Environment:
    """Reads variables of `environ`; in development missing server addresses come from `addresses`.

    Every reader raises ImproperlyConfigured with the variable's name and the remedy.
    """

    def __init__(self, environ: Mapping[str, str], addresses: Mapping[str, str]) -> None:
        self._environ = environ
        self.mode = environ.get("SLOTBEAT_ENV", DEVELOPMENT)
        if self.mode not in (DEVELOPMENT, PRODUCTION):
            raise ImproperlyConfigured(f"SLOTBEAT_ENV is {self.mode!r}: set it to {DEVELOPMENT} or {PRODUCTION}")
        self._addresses = addresses if self.mode == DEVELOPMENT else {}
        self.asked = {"SLOTBEAT_ENV", "SLOTBEAT_DATA_DIR"}

    @property
    def production(self) -> bool:
        """Whether every address and secret must be named."""
        return self.mode == PRODUCTION

    def _get(self, name: str) -> str | None:
        """Every variable asked for is remembered, so that deployment files can be held against the settings."""
        self.asked.add(name)
        return self._environ.get(name)

    def address(self, name: str, example: str) -> str:
        """The address of a server.

        In development a server that does not run yet leaves an address that says so when it is used.
        """
        found = self._get(name) or self._addresses.get(name)
        if found:
            return found
        if self.production:
            raise ImproperlyConfigured(f"{name} is not set: in production it must name a server, as in {example}")
        return ""

    def secret(self, name: str, development_default: str) -> str:
        """A secret: required in production."""
        found = self._get(name)
        if found:
            return found
        if self.production:
            raise ImproperlyConfigured(f"{name} is not set: in production it must be a secret of your own")
        return development_default

    def text(self, name: str, default: str) -> str:
        """A text."""
        found = self._get(name)
        return default if found is None else found

    def texts(self, name: str, default: list[str]) -> list[str]:
        """A comma-separated list."""
        found = self._get(name)
        return default if found is None else [part.strip() for part in found.split(",") if part.strip()]

    def number(self, name: str, default: float) -> float:
        """A number; its unit stands in the variable's name."""
        found = self._get(name)
        if found is None:
            return default
        try:
            return float(found)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} is {found!r}: set it to a number such as {default}") from error

    def integer(self, name: str, default: int) -> int:
        """A whole number; its unit stands in the variable's name."""
        value = self.number(name, default)
        if value != int(value):
            raise ImproperlyConfigured(f"{name} is {value}: set it to a whole number such as {default}")
        return int(value)

    def switch(self, name: str, *, default: bool) -> bool:
        """On or off."""
        text = self._get(name)
        found = str(default).lower() if text is None else text.lower()
        if found not in _TRUE | _FALSE:
            raise ImproperlyConfigured(f"{name} is {found!r}: set it to true or false")
        return found in _TRUE


def data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the embedded servers keep their data: SLOTBEAT_DATA_DIR or `var` in the checkout."""
    return Path(environ.get("SLOTBEAT_DATA_DIR") or CHECKOUT / "var").resolve()
