"""Messages as Celery's own `apply_async` would make them, with the stamp in their headers, each in one queue only."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from celery.exceptions import QueueNotFound

from scheduler_project.celery import app
from schedules.publisher import PUBLISH_ERRORS, Order, publish
from schedules.redis import client
from schedules.stamp import HEADER, Stamp
from tests.support.queues import QUEUES, consume, messages, task_ids
from tests.support.rules import utc
from tests.support.schedules import NINE, order, stamp
from tests.support.valkey import CLOSED_PORT

FAR = utc("2090-01-01T00:00")
# Made anew for each message: its tag, and what is left of its life when it is sent; all else must be equal.
OWN_TO_EACH = ("delivery_tag", "expiration")


@pytest.fixture(autouse=True)
def a_worker_has_declared_its_queues() -> None:
    """As a worker leaves them in Redis; this process thinks it has done so before the test's flush."""
    app.loader.import_default_modules()
    for queue in QUEUES:
        client().sadd(f"_kombu.binding.{queue}", f"{queue}\x06\x16\x06\x16{queue}")


def _by_celery(made: Order) -> None:
    headers = {
        **(made.options.get("headers") or {}),
        "periodic_task_name": made.stamp.schedule,
        **made.stamp.to_headers(),
    }
    options = {**made.options, "headers": headers}
    send = app.tasks[made.task].apply_async
    send(list(made.args), dict(made.kwargs), task_id=made.stamp.slot_id, **options)  # type: ignore[arg-type] # a list as in JSON


def _only_message(queue: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    ((body, headers, properties),) = consume(app, queue)
    # `apply_async` copies the task's own setting into the message; without it the worker asks the task itself.
    assert headers.pop("ignore_result") in (None, app.tasks[headers["task"]].ignore_result)
    return body, headers, {name: value for name, value in properties.items() if name not in OWN_TO_EACH}


@pytest.mark.parametrize(
    ("options", "queue"),
    [
        ({}, "schedules"),
        ({"queue": "accounts"}, "accounts"),
        ({"priority": 7}, "schedules"),
        ({"priority": 0, "queue": "accounts"}, "accounts"),
        ({"expires": FAR}, "schedules"),
        ({"headers": {"origin_of": "ü", "n": 1}}, "schedules"),
        ({"exchange": "accounts", "routing_key": "accounts"}, "accounts"),
    ],
)
def test_a_message_is_what_apply_async_makes(options: dict[str, Any], queue: str) -> None:
    made = order("n:ä%", task="fan_out", args=["ж"], kwargs={"params": {"ü": [1.5, None]}}, options=options)
    publish(app, [made])
    ours = _only_message(queue)
    _by_celery(made)
    theirs = _only_message(queue)
    assert ours == theirs


def test_a_message_carries_stamp_name_and_arguments() -> None:
    publish(app, [order("a", args=["é"], kwargs={"job": "sync_feed"}, options={"headers": {"origin_of": "x"}})])
    ((body, headers, properties),) = consume(app, "schedules")
    assert body[:2] == [["é"], {"job": "sync_feed"}]
    assert Stamp.from_headers(headers) == stamp("a")
    assert headers["periodic_task_name"] == "a"
    assert headers["origin_of"] == "x"
    assert headers["task"] == "fan_out"
    assert headers["id"] == properties["correlation_id"] == stamp("a").slot_id


def test_the_rows_headers_cannot_replace_the_stamp() -> None:
    publish(app, [order("a", options={"headers": {HEADER: "mine", "periodic_task_name": "mine"}})])
    (message,) = messages()
    assert Stamp.from_headers(message.headers) == stamp("a")
    assert message.headers["periodic_task_name"] == "a"


def test_headers_are_json_and_hold_no_object_of_ours() -> None:
    publish(app, [order("a")])
    (message,) = messages()
    assert json.loads(json.dumps(message.headers[HEADER])) == stamp("a").to_headers()[HEADER]


def test_each_message_is_in_one_queue_only() -> None:
    """Queues that share an exchange would each get a copy."""
    publish(app, [order("a"), order("b", options={"queue": "accounts"}), order("c", options={"queue": "schedules"})])
    assert task_ids("schedules") == [stamp("a").slot_id, stamp("c").slot_id]
    assert task_ids("accounts") == [stamp("b").slot_id]
    everywhere = sum(client().llen(key) for key in client().scan_iter(_type="list"))
    assert everywhere == 3


def test_messages_keep_the_order_of_the_batch() -> None:
    orders = [order("a", NINE + timedelta(seconds=n)) for n in range(50)]
    publish(app, orders)
    assert task_ids() == [each.stamp.slot_id for each in orders]


def test_an_empty_batch_sends_nothing() -> None:
    publish(app, [])
    assert [task_ids(queue) for queue in QUEUES] == [[], []]


def test_a_task_of_another_code_base_is_sent_by_its_name() -> None:
    publish(app, [order("a", task="billing.close")])
    assert messages()[0].headers["task"] == "billing.close"


def test_b41_a_lost_binding_is_made_again() -> None:
    publish(app, [order("a")])
    client().delete("_kombu.binding.schedules")
    publish(app, [order("b", NINE + timedelta(seconds=n)) for n in range(100)])
    assert len(task_ids()) == 101


def test_an_unknown_queue_is_an_error_and_not_a_lost_message() -> None:
    with pytest.raises(QueueNotFound) as refused:
        publish(app, [order("a", options={"queue": "nobody"})])
    assert isinstance(refused.value, PUBLISH_ERRORS)
    assert client().keys("nobody*") == []


def test_a_broker_that_is_away_is_told_at_once() -> None:
    away = Celery("away", broker=CLOSED_PORT, set_as_current=False)
    try:
        with pytest.raises(PUBLISH_ERRORS):
            publish(away, [order("a")])
    finally:
        away.close()
