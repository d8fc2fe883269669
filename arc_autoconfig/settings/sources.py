"""The sources of an application's settings, and the sections of packages in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from arc_autoconfig.containment import Contained
from arc_autoconfig.installed import entry_point_lines
from arc_autoconfig.settings.inputs.files import file_layers
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inputs.layers import Layer, merge
from arc_autoconfig.settings.inputs.variables import (
    command_line,
    dot_env,
    environment,
    reference_variables,
)
from arc_autoconfig.settings.plugin_sections import (
    BroughtSection,
    brought_sections,
    named_in_metadata,
)
from arc_autoconfig.settings.sections import PluginsSettings

__all__ = ["Sources", "sections_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All sources of settings."""

    keywords: Mapping[str, Any] = field(default_factory=dict)
    command_line: Mapping[str, object] = field(default_factory=dict)
    folder: SettingsFolder | None = None
    profiles: tuple[str, ...] = ()

    def layers(self, settings_class: type[BaseModel], *, only: str | None = None) -> list[Layer]:
        """The layers of all sources, lowest first."""
        keywords = {name: each for name, each in self.keywords.items() if only in {None, name}}
        layers = [Layer(keywords, lambda key: f"keyword argument {key}")]
        if self.folder is None:
            return layers
        files = file_layers(
            settings_class,
            self.folder,
            profiles=self.profiles,
            variables=reference_variables(self.folder),
            only=only,
        )
        return [
            *files,
            dot_env(settings_class, self.folder, only=only),
            environment(settings_class, only=only),
            command_line(settings_class, self.command_line, only=only),
            *layers,
        ]


class _PluginChoice(BaseModel):
    """The one section that says which plugins' sections there are."""

    plugins: PluginsSettings = Field(default_factory=PluginsSettings)


def sections_for(sources: Sources) -> tuple[BroughtSection, ...]:
    """The sections of the packages whose plugins the sources want.

    Sources that cannot be read want no packages' sections but Arc's; that they cannot is said when
    all of them are read.
    """
    lines = entry_point_lines()
    if all(each.is_arcs_own for each in named_in_metadata(lines)):
        return brought_sections(None, lines)
    plugins: PluginsSettings | None = None
    with Contained():
        values = merge(sources.layers(_PluginChoice, only="plugins"))
        plugins = PluginsSettings.model_validate(values.get("plugins", {}))
    return brought_sections(plugins, lines)
