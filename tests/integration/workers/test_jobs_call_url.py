"""`call_url`: the key, the signature and the body that a receiver sees."""

from __future__ import annotations

import base64
import json

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from tests.support.http_server import Asked, Scripted, answer, scripted_server
from tests.support.runs import account, account_run, running
from tests.support.workers import stamp_of
from workers import calls
from workers.calls import CallFailed
from workers.jobs.call_url import call_url
from workers.secrets import SecretUnusable

pytestmark = pytest.mark.django_db(transaction=True)

KEY = base64.b64encode(b"a key of twenty-four byte").decode()
GOOD = Scripted(204)


def signed(asked: Asked, key: str = KEY) -> object:
    return Webhook(key).verify(asked.body, dict(asked.headers))


def test_a_schedule_of_its_own_posts_key_and_payload() -> None:
    with scripted_server(GOOD) as server, running(stamp_of("nightly")) as run:
        call_url(run, url=f"{server.url}/hook?x=1", payload={"shop": "Ærø"})
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/hook?x=1")
    assert json.loads(asked.body) == {"shop": "Ærø"}
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["idempotency-key"] == asked.headers["webhook-id"] == run.idempotency_key
    assert "webhook-signature" not in asked.headers


def test_a_fan_out_s_run_adds_its_account() -> None:
    with scripted_server(GOOD) as server, account_run(account()) as run:
        call_url(run, url=server.url)
    assert json.loads(server.asked[0].body) == {"account": "acme-001"}


@pytest.mark.parametrize("form", ["whsec_" + KEY, KEY, KEY.rstrip("=") + "\n"])
def test_a_named_secret_signs_each_attempt_under_one_key(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setenv("SLOTBEAT_SECRET_HOOK", form)
    with scripted_server(answer({}, 503), GOOD) as server, running(stamp_of("nightly")) as run:
        call_url(run, url=server.url, payload={"a": 1}, secret_name="HOOK")
    first, second = server.asked
    assert signed(first) == signed(second) == {"a": 1}
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    with pytest.raises(WebhookVerificationError):
        signed(first, base64.b64encode(b"another key").decode())


@pytest.mark.parametrize("value", ["whsec_***", "whsec_", "not base64!"])
def test_a_secret_that_is_no_key_is_refused_without_its_value(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SLOTBEAT_SECRET_HOOK", value)
    with (
        scripted_server(GOOD) as server,
        running(stamp_of("nightly")) as run,
        pytest.raises(SecretUnusable, match="SLOTBEAT_SECRET_HOOK") as caught,
    ):
        call_url(run, url=server.url, secret_name="HOOK")
    assert value.removeprefix("whsec_") == "" or value not in str(caught.value)
    assert server.asked == []


def test_a_large_answer_to_a_call_that_went_well_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LARGEST_ANSWER_BYTES", 1000)
    with scripted_server(Scripted(200, b" " * 5000)) as server, running(stamp_of("nightly")) as run:
        call_url(run, url=server.url)
    assert len(server.asked) == 1


def test_a_refusal_is_told() -> None:
    with (
        scripted_server(answer({}, 410)) as server,
        running(stamp_of("nightly")) as run,
        pytest.raises(CallFailed, match="answered 410"),
    ):
        call_url(run, url=server.url)
