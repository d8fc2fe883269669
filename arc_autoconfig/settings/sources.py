"""The sources of an application's settings, and the sections of packages in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arc_autoconfig.containment import Contained
from arc_autoconfig.installed import entry_point_lines
from arc_autoconfig.settings.inputs.files import file_layers, toml_text
from arc_autoconfig.settings.inputs.folder import DOT_ENV, SettingsFolder
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All sources of settings."""

    keywords: Mapping[str, Any] = field(default_factory=dict)
    command_line: Mapping[str, object] = field(default_factory=dict)
    folder: SettingsFolder | None = None
    profiles: tuple[str, ...] = ()

    def layers(self, settings_class: type[BaseModel]) -> list[Layer]:
        """The layers of all sources, lowest first."""
        layers = [Layer(self.keywords, lambda key: f"keyword argument {key}")]
        if self.folder is None:
            return layers
        files = file_layers(
            settings_class,
            self.folder,
            profiles=self.profiles,
            variables=reference_variables(self.folder),
        )
        return [
            *files,
            dot_env(settings_class, self.folder),
            environment(settings_class),
            command_line(settings_class, self.command_line),
            *layers,
        ]


class _PluginChoice(BaseModel):
    """The one section that says which plugins' sections there are, among others."""

    model_config = ConfigDict(extra="allow")

    plugins: PluginsSettings = Field(default_factory=PluginsSettings)


def sections_for(sources: Sources) -> tuple[BroughtSection, ...]:
    """The sections of the packages whose plugins the sources want."""
    lines = entry_point_lines()
    if all(each.is_arcs_own for each in named_in_metadata(lines)):
        return brought_sections(None, lines)
    plugins: PluginsSettings | None = None
    with Contained():
        values = merge(sources.layers(_PluginChoice))
        plugins = PluginsSettings.model_validate(values.get("plugins", {}))
    return brought_sections(plugins, lines)


class FileState(StrEnum):
    """The state of a file."""

    READ = "read"
    NO_SETTINGS = "holds no settings of Arc's"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that was looked for."""

    path: str
    state: FileState


def list_files(sources: Sources) -> tuple[SettingsFile, ...]:
    """The files in the order in which later ones win; none if no files were read."""
    folder = sources.folder
    if folder is None:
        return ()
    holding = toml_text(folder)
    files: list[SettingsFile] = []
    for name in (*folder.toml_files, DOT_ENV):
        state = FileState.READ
        if name not in folder.contents:
            state = FileState.NOT_FOUND
        elif name != DOT_ENV and (holding is None or holding.name != name):
            state = FileState.NO_SETTINGS
        files.append(SettingsFile(str(folder.path / name), state))
    return tuple(files)
