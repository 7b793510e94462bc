"""What `schedules` keeps in PostgreSQL."""

from schedules.models.options import ScheduleOptions
from schedules.models.slot import SkipReason, Slot, SlotState

__all__ = ["ScheduleOptions", "SkipReason", "Slot", "SlotState"]
