"""Where the relay takes events: the sink is chosen by the setting SLOTBEAT_OUTBOX_SINK."""
