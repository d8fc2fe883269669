"""The settings of durable runs, where the entry points look for them."""

from arc_plugins.journals.settings import DurableSettings, SchedulesSettings

__all__ = ["DurableSettings", "SchedulesSettings"]
