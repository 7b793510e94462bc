"""`call_url`: POSTs JSON to a URL, with the run's idempotency key and a Standard-Webhooks signature."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from workers.calls import LONGEST_CALL_SECONDS, call
from workers.jobs.base import Run, job
from workers.json_values import checked
from workers.secrets import SecretUnusable, secret

_SECRET_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,99}")


def check(url: str, payload: Any = None, secret_name: str = "", timeout_seconds: float = 10) -> None:
    """Raises ValueError for a URL that no request could reach, and for values of the wrong kind."""
    _check_url(url)
    if payload is not None and not isinstance(payload, dict):
        raise ValueError(f'payload must be an object, as in {{"shop": 7}}, not {type(payload).__name__}')
    checked(payload, "payload")
    if not isinstance(secret_name, str) or (secret_name and not _SECRET_NAME.fullmatch(secret_name)):
        raise ValueError(f"secret_name {secret_name!r} must be capitals, as in ACME for SLOTBEAT_SECRET_ACME")
    is_number = isinstance(timeout_seconds, int | float) and not isinstance(timeout_seconds, bool)
    if not is_number or not 0 < timeout_seconds <= LONGEST_CALL_SECONDS:
        raise ValueError(f"timeout_seconds {timeout_seconds!r} must be above 0 and at most {LONGEST_CALL_SECONDS:g}")


@job("call_url", per_account=True, check=check)
def call_url(
    run: Run, *, url: str, payload: dict[str, Any] | None = None, secret_name: str = "", timeout_seconds: float = 10
) -> None:
    """Serves a schedule of its own and a fan-out; the latter adds `account`. Raises CallFailed and SecretUnusable."""
    own = {"account": run.stamp.account} if run.stamp.account else {}
    body = json.dumps({**(payload or {}), **own}, ensure_ascii=False, separators=(",", ":"))
    signer = _signer(secret_name, url) if secret_name else None

    def request(client: httpx.Client, now: datetime) -> httpx.Request:
        headers = _headers(run.idempotency_key, now, body, signer)
        return client.build_request("POST", url, content=body.encode(), headers=headers)

    call(run, request, url=url, seconds=timeout_seconds)


def _headers(key: str, now: datetime, body: str, signer: Webhook | None) -> Mapping[str, str]:
    """The timestamp and signature are of the attempt, the id is of the run."""
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key,
        "webhook-id": key,
        "webhook-timestamp": str(int(now.timestamp())),
    }
    if signer:
        headers["webhook-signature"] = signer.sign(key, now, body)
    return headers


def _signer(secret_name: str, url: str) -> Webhook:
    owner = f"call_url to {urlsplit(url).hostname}"
    text = secret(secret_name, owner).removeprefix("whsec_")
    try:
        return Webhook(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
    except (ValueError, EmptyWebhookSecretError) as error:
        raise SecretUnusable(secret_name, owner, "is not base64: set it in the form whsec_<base64>") from error


def _check_url(url: Any) -> None:
    parts = _parts(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url {url!r} must be an http(s) address, as in https://example.com/hook")
    if parts.username or parts.password:
        raise ValueError("url holds a user or password: sign the call with secret_name instead")


def _parts(url: Any) -> SplitResult | None:
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return None if port == 0 else parts
