"""Where an account's feeds may be: refused at the door when no request could ever reach it."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError


def validate_endpoint(value: str) -> None:
    """Accepts an http(s) URL with a host, or a path that starts with `/`. Raises ValidationError otherwise."""
    if value.startswith("/") and not value.startswith("//"):
        return
    try:
        parts = urlsplit(value)
        reachable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        reachable = False
    if not reachable:
        raise ValidationError(
            f"{value!r} is no endpoint: give a URL such as https://api.example.com/acme or a path such as /acme"
        )
    if parts.username or parts.password:
        raise ValidationError("An endpoint holds no user or password: put the token into secret_name.")
