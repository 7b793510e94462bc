"""What every test shares: a clean Redis database before each test that has a server."""

from __future__ import annotations
