"""Slot ids are injective and come apart again; a stamp crosses the broker unchanged; the key of a run is stable."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.stamp import (
    HEADER,
    NotAStamp,
    Overlap,
    Stamp,
    Trigger,
    account_id,
    epoch_ms,
    from_epoch_ms,
    idempotency_key,
    manual_id,
    parse_id,
    slot_id,
)
from tests.support.rules import utc
from tests.support.schedules import NINE, stamp

# Often the characters that could make two ids meet, sometimes any that PostgreSQL takes.
TRICKY = st.text(alphabet="a:%253A-0mnul1\u00e9", min_size=1, max_size=12)
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)
NAMES = st.one_of(TRICKY, ANY)
ACCOUNTS = st.one_of(st.just(""), NAMES)
INSTANTS = st.integers(-(10**12), 4 * 10**12).map(from_epoch_ms)
IDENTITIES = st.tuples(NAMES, ACCOUNTS, INSTANTS)


@given(IDENTITIES)
def test_an_id_comes_apart_into_what_it_was_made_of(identity: tuple[str, str, datetime]) -> None:
    schedule, account, at = identity
    assert parse_id(slot_id(schedule, at, account)) == (schedule, account, str(epoch_ms(at)))


@given(IDENTITIES, IDENTITIES)
def test_distinct_slots_have_distinct_ids(one: tuple[str, str, datetime], other: tuple[str, str, datetime]) -> None:
    ids = {slot_id(schedule, at, account) for schedule, account, at in (one, other)}
    assert len(ids) == len({one, other})


@given(st.text(alphabet="a:%", min_size=2, max_size=8), st.data())
def test_where_a_name_ends_and_an_account_begins_matters(text: str, data: st.DataObject) -> None:
    cuts = data.draw(
        st.lists(st.integers(1, len(text) - 1), min_size=2, max_size=2, unique=True) if len(text) > 2 else st.just([1])
    )
    ids = {slot_id(text[:cut], NINE, text[cut:]) for cut in cuts} | {slot_id(text, NINE)}
    assert len(ids) == len(cuts) + 1


def test_200_characters_of_anything_are_a_name() -> None:
    name = ("%:日本🚀é" * 40)[:200]
    assert parse_id(slot_id(name, NINE, name)) == (name, name, str(epoch_ms(NINE)))


@given(NAMES, ACCOUNTS, INSTANTS)
def test_a_manual_run_never_meets_a_slot(schedule: str, account: str, at: datetime) -> None:
    manual = manual_id(schedule, "00ff", account)
    assert manual != slot_id(schedule, at, account)
    assert parse_id(manual) == (schedule, account, "manual-00ff")


@given(NAMES, NAMES, INSTANTS)
def test_an_accounts_id_is_the_umbrellas_with_the_account(schedule: str, account: str, at: datetime) -> None:
    assert account_id(slot_id(schedule, at), account) == slot_id(schedule, at, account)


def test_an_accounts_id_is_no_umbrella() -> None:
    with pytest.raises(ValueError, match="already names account 'acme'"):
        account_id(slot_id("a", NINE, "acme"), "other")


@pytest.mark.parametrize(
    "text", ["", "a", "a:", "a:b", "a:b:c:1", "a:1.5", "a:manual-XY", "a:manual-", "a:1\n", "a:--1"]
)
def test_what_is_no_slot_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a slot id"):
        parse_id(text)


def test_ids_differ_by_a_millisecond_and_not_by_less() -> None:
    assert slot_id("a", NINE) != slot_id("a", NINE + timedelta(milliseconds=1))
    assert slot_id("a", NINE) == slot_id("a", NINE + timedelta(microseconds=999))
    assert slot_id("a", NINE) == "a:1773133200000"


@given(st.integers(-(10**13), 10**13))
def test_milliseconds_come_back(milliseconds: int) -> None:
    assert epoch_ms(from_epoch_ms(milliseconds)) == milliseconds


STAMPS = st.builds(
    Stamp,
    slot_id=NAMES,
    schedule=NAMES,
    scheduled_for=INSTANTS,
    trigger=st.sampled_from(Trigger),
    account=ACCOUNTS,
    overlap=st.sampled_from(Overlap),
    deadline=st.one_of(st.none(), INSTANTS),
    lease_seconds=st.integers(1, 10**6),
)


@given(STAMPS.filter(lambda made: made.schedule.strip() != ""))
def test_a_stamp_crosses_the_broker_unchanged(made: Stamp) -> None:
    assert Stamp.from_headers(json.loads(json.dumps(made.to_headers()))) == made


def test_a_stamp_sits_beside_other_headers() -> None:
    assert Stamp.from_headers({"origin": "x", **stamp().to_headers()}) == stamp()


@pytest.mark.parametrize("headers", [None, {}, {"origin": "x"}, {HEADER: None}])
def test_a_message_without_a_stamp_has_none(headers: dict[str, Any] | None) -> None:
    assert Stamp.from_headers(headers) is None


def _broken(**changes: Any) -> dict[str, Any]:
    return {HEADER: {**stamp().to_headers()[HEADER], **changes}}


@pytest.mark.parametrize(
    "headers",
    [
        {HEADER: "text"},
        {HEADER: []},
        {HEADER: {}},
        {HEADER: {"slot_id": "a:1"}},
        _broken(trigger="whim"),
        _broken(overlap="maybe"),
        _broken(scheduled_for_ms="soon"),
        _broken(deadline_ms="soon"),
    ],
)
def test_what_cannot_be_read_is_not_a_stamp_and_says_what_it_was(headers: dict[str, Any]) -> None:
    with pytest.raises(NotAStamp) as refused:
        Stamp.from_headers(headers)
    assert repr(headers[HEADER]) in str(refused.value)


def test_an_instant_beyond_all_calendars_is_not_a_stamp() -> None:
    with pytest.raises(NotAStamp):
        Stamp.from_headers(_broken(scheduled_for_ms=10**30))


def test_an_accounts_stamp_keeps_all_but_identity() -> None:
    umbrella = Stamp(slot_id("a:b", NINE), "a:b", NINE, Trigger.CATCHUP, "", Overlap.SKIP, NINE, 60)
    of_account = umbrella.for_account("acme:1")
    expected = Stamp(slot_id("a:b", NINE, "acme:1"), "a:b", NINE, Trigger.CATCHUP, "acme:1", Overlap.SKIP, NINE, 60)
    assert of_account == expected


@given(NAMES, ACCOUNTS, NAMES, ACCOUNTS)
def test_overlap_keys_of_distinct_runs_are_distinct(one: str, account: str, other: str, another: str) -> None:
    keys = {stamp(one, account=account).overlap_key, stamp(other, account=another).overlap_key}
    assert len(keys) == len({(one, account), (other, another)})


def test_the_idempotency_key_is_trimmed_and_frozen() -> None:
    key = "v2:" + hashlib.sha256(b'["INITIAL", "sync", "acme"]').hexdigest()
    assert idempotency_key(" INITIAL ", "sync\n", "\tacme ") == idempotency_key("INITIAL", "sync", "acme") == key


def test_the_idempotency_key_wants_a_code() -> None:
    with pytest.raises(ValueError, match="needs a code"):
        idempotency_key("SCHEDULE", "  ", "x")


PARTS = st.text(alphabet='ab,"[] é', max_size=5)


@given(st.tuples(PARTS, PARTS, PARTS), st.tuples(PARTS, PARTS, PARTS))
def test_distinct_runs_have_distinct_idempotency_keys(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    identities = {tuple(part.strip() for part in parts) for parts in (one, other)}
    if all(code for _, code, _ in identities):
        assert len({idempotency_key(*parts) for parts in (one, other)}) == len(identities)


def test_the_key_of_a_slot_does_not_depend_on_the_attempt() -> None:
    first = Stamp(slot_id("a", NINE), "a", NINE, Trigger.SCHEDULE)
    again = Stamp(slot_id("a", NINE), "a", NINE, Trigger.CATCHUP, deadline=utc("2026-03-10T10:00"))
    assert first.idempotency_key == again.idempotency_key
    assert first.to_headers()[HEADER]["idempotency_key"] == first.idempotency_key


def test_instants_are_utc() -> None:
    read = Stamp.from_headers(stamp().to_headers())
    assert read is not None
    assert read.scheduled_for.tzinfo is UTC
