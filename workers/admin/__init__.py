"""The pages of accounts, their runs, fan-outs and feeds, and of the outbox."""

from __future__ import annotations

from workers.admin import accounts, events, fan_outs, feeds, runs

__all__ = ["accounts", "events", "fan_outs", "feeds", "runs"]
