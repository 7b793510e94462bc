"""What `schedules` keeps in PostgreSQL."""

from schedules.models.calendar import Calendar, CalendarDate
from schedules.models.options import ScheduleOptions
from schedules.models.slot import SkipReason, Slot, SlotState

__all__ = ["Calendar", "CalendarDate", "ScheduleOptions", "SkipReason", "Slot", "SlotState"]
