"""The domain rows of the ready-made job `sync_feed`: what an account's feeds last said, and how far they were read."""

from __future__ import annotations

from django.db import models

from workers.models.account import Account


class FeedCursor(models.Model):
    """How far one feed of one account has been read; the cursor is the feed's own word."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE)
    feed = models.CharField(max_length=100)
    cursor = models.TextField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "feed"], name="feed_cursor_once")]

    def __str__(self) -> str:
        return f"{self.account_id} {self.feed} {self.cursor}"


class FeedItem(models.Model):
    """One thing a feed tells about, in its newest version."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE)
    feed = models.CharField(max_length=100)
    item = models.CharField(max_length=200)
    version = models.BigIntegerField()
    data = models.JSONField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "feed", "item"], name="feed_item_once")]

    def __str__(self) -> str:
        return f"{self.account_id} {self.feed} {self.item}"
