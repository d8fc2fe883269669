"""`ArcSettings`: its sections, its sources in a fixed order, errors that say where a value is."""

from arc_autoconfig.settings.model import ArcSettings
from arc_autoconfig.settings.sections import (
    AgentSection,
    AgentTables,
    ComponentsSettings,
    LogFormat,
    LoggingSettings,
    LogLevel,
    PluginsSettings,
)

__all__ = [
    "AgentSection",
    "AgentTables",
    "ArcSettings",
    "ComponentsSettings",
    "LogFormat",
    "LogLevel",
    "LoggingSettings",
    "PluginsSettings",
]
