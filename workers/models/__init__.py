"""What `workers` keep in PostgreSQL."""

from workers.models.account import Account
from workers.models.fan_out import FanOut
from workers.models.feed import FeedCursor, FeedItem
from workers.models.lease import Kind, Lease, LeaseState
from workers.models.outbox import EventState, OutboxEvent

__all__ = [
    "Account",
    "EventState",
    "FanOut",
    "FeedCursor",
    "FeedItem",
    "Kind",
    "Lease",
    "LeaseState",
    "OutboxEvent",
]
