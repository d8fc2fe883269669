"""`ArcSettings`: one model, its sources in a fixed order, errors that say where a value stands."""

from arc_autoconfig.settings.model import ArcSettings
from arc_autoconfig.settings.sections import LogFormat, LoggingSettings, LogLevel, PluginsSettings

__all__ = ["ArcSettings", "LogFormat", "LogLevel", "LoggingSettings", "PluginsSettings"]
