"""Secrets: read when used, and never part of an error."""

from __future__ import annotations

import pytest

from workers.secrets import SecretUnusable, secret


def test_the_variable_s_value_is_taken_without_white_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTBEAT_SECRET_ACME", "s3cr3t\n")
    assert secret("ACME", "account acme-001") == "s3cr3t"


@pytest.mark.parametrize("value", ["", "  ", "s3cr3t two", "s3cr3t\ttwo", "s3cr3tü", "s3cr3t\x7f"])
def test_an_unusable_secret_names_variable_and_owner_but_not_its_value(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SLOTBEAT_SECRET_ACME", value)
    with pytest.raises(SecretUnusable) as caught:
        secret("ACME", "account acme-001")
    assert "account acme-001" in str(caught.value)
    assert "SLOTBEAT_SECRET_ACME" in str(caught.value)
    assert "s3cr3t" not in repr(caught.value)
    assert caught.value.permanent


def test_a_missing_variable_is_unusable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLOTBEAT_SECRET_NONE", raising=False)
    with pytest.raises(SecretUnusable, match="SLOTBEAT_SECRET_NONE is not set"):
        secret("NONE", "account acme-001")
