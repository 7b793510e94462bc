"""A customer account: whom a fan-out runs for."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models

from workers.models.endpoint import validate_endpoint

_TENANT = RegexValidator(r"^[a-z0-9][a-z0-9-]*\Z", "Use lower-case letters, digits and dashes, as in acme-2.")
_SECRET = RegexValidator(
    r"^[A-Z][A-Z0-9_]*\Z", "Name an environment variable's ending in capitals, as in ACME for SLOTBEAT_SECRET_ACME."
)


class Account(models.Model):
    """`key` is its identity everywhere outside the database: slot ids, partition keys, logs."""

    key = models.CharField(max_length=200, unique=True, help_text="Its identity in slot ids, events and logs.")
    tenant = models.CharField(max_length=100, validators=[_TENANT], db_index=True)
    name = models.CharField(max_length=200, blank=True)
    endpoint = models.CharField(
        max_length=500,
        validators=[validate_endpoint],
        help_text="Where its feeds are: an http(s) URL, or a path below SLOTBEAT_FEED_BASE_URL.",
    )
    secret_name = models.CharField(
        max_length=100,
        blank=True,
        validators=[_SECRET],
        help_text="ACME: the bearer token is read from SLOTBEAT_SECRET_ACME; the token itself is never stored.",
    )
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=models.Q(enabled=True), name="account_enabled")]

    def __str__(self) -> str:
        return self.key
