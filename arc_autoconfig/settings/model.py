"""All settings of an application, from all their sources."""

import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, TypeVar, cast

from pydantic import Field, PrivateAttr

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import SettingsError
from arc_autoconfig.installed import EntryPointLine, entry_point_lines
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inputs.layers import find_origins, merge, written_in
from arc_autoconfig.settings.inputs.variables import active_profiles, export_keys, named_file
from arc_autoconfig.settings.keys import Path as KeyPath
from arc_autoconfig.settings.keys import settings_error, unknown_part
from arc_autoconfig.settings.plugin_sections import (
    BroughtSection,
    compose,
    get_values,
    imported_sections,
    make_instance,
    named_in_metadata,
)
from arc_autoconfig.settings.sections import (
    AgentTables,
    ComponentsSettings,
    LoggingSettings,
    PluginsSettings,
)
from arc_autoconfig.settings.server_section import ServerSettings
from arc_autoconfig.settings.sources import Sources, sections_for
from arc_core.settings import AgentSettings, Harmless

S = TypeVar("S")


class ArcSettings(AgentSettings):
    """Made once per application; what is not given as a keyword is read where the user put it.

    Of each key the last of these counts: its default, `./arc.toml` or `[tool.arc]` in
    `./pyproject.toml`, its active profiles, `./.env`, the environment (`ARC_LLM__PROVIDER`), the
    command line, keywords.

    Besides the sections below there is one for each entry point of the group `arc.settings` of the
    installed packages. They are attributes, too, which type checkers take for `Any`; `section`
    gives them with their types.

    Raises:
        SettingsError: A key is unknown, or a value is wrong.
        PluginError: Two packages bring one section.
    """

    plugins: PluginsSettings = Field(default_factory=PluginsSettings)
    components: Annotated[
        ComponentsSettings, Harmless("chooses among what is installed, by name")
    ] = Field(default_factory=ComponentsSettings)
    logging: LoggingSettings = Field(default_factory=LoggingSettings)
    server: ServerSettings = Field(default_factory=ServerSettings)
    agents: Annotated[  # pyright: ignore[reportIncompatibleVariableOverride]
        AgentTables, Harmless("what needs trust in a table says so itself")
    ] = Field(default_factory=AgentTables)

    _brought: ClassVar[tuple[BroughtSection, ...] | None] = None
    _homes: ClassVar[Mapping[type, str]] = {}

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)
    _written: dict[str, Any] = PrivateAttr(default_factory=dict)
    _sources: Sources = PrivateAttr(default_factory=Sources)

    def __new__(cls, **values: Any) -> "ArcSettings":
        """An instance of the class that has the sections of the installed packages, too."""
        whole: Any = cls.complete(**values)
        made: ArcSettings = super().__new__(whole)
        return made

    def __init__(
        self,
        *,
        _command_line: Mapping[str, object] | None = None,
        _isolated: bool = False,
        _folder: SettingsFolder | None = None,
        _brought: tuple[BroughtSection, ...] | None = None,
        _profiles: tuple[str, ...] | None = None,
        **values: Any,
    ) -> None:
        """Read all sources.

        Args:
            _command_line: Values by dotted key, as options of a command gave them.
            _isolated: Whether neither files nor the environment are read.
            _folder: The folder whose files count, already read; None reads the working directory.
            _brought: The packages' sections; None finds them.
            _profiles: The active profiles; None reads the variable.
            values: Settings by name; a section may be given as a mapping.
        """
        sources = _find_sources(
            {
                **values,
                "_command_line": _command_line,
                "_isolated": _isolated,
                "_folder": _folder,
                "_profiles": _profiles,
            }
        )
        layers = sources.layers(type(self))
        with Contained() as attempt:  # the checks of plugins' sections run here
            super().__init__(**merge(layers))
        if attempt.error is not None:
            raise settings_error(type(self), attempt.error, find_origins(layers)) from None
        self._origins, self._written, self._sources = (
            find_origins(layers),
            written_in(layers),
            sources,
        )

    @classmethod
    def complete(cls, **values: Any) -> "type[ArcSettings]":
        """The class that has the sections of the installed packages, too."""
        if cls._brought is not None:
            return cls
        brought = values.get("_brought")
        return compose(cls, sections_for(_find_sources(values)) if brought is None else brought)

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name)  # type: ignore[misc]

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: get_values(getattr(self, name)) for name in type(self).model_fields}
        base = type(self).__mro__[1] if self._brought is not None else type(self)
        read = {"_origins": self._origins, "_written": self._written, "_sources": self._sources}
        return _restore, (base, values, read)

    @property
    def brought(self) -> tuple[BroughtSection, ...]:
        """The sections of the installed packages, those that are not loaded among them."""
        return self._brought or ()

    @property
    def sources(self) -> Sources:
        """The sources of the settings."""
        return self._sources

    @property
    def active_profiles(self) -> tuple[str, ...]:
        """The profiles that `ARC_PROFILE` names, in the order in which they were laid over."""
        return self._sources.profiles

    def section(self, wanted: type[S]) -> S:
        """The section of a class: of Arc's own or of a package, `settings.section(RedisSettings)`.

        Raises:
            SettingsError: No section is of this class.
        """
        if issubclass(wanted, AgentSettings):
            return cast("S", self)
        home = self._homes.get(wanted)
        if home is None:
            raise SettingsError(
                f"{wanted.__qualname__} is not a section of the settings",
                remedy="name it in the entry points of its package, in the group arc.settings",
            )
        return cast("S", make_instance(wanted, getattr(self, home)))

    def has_section(self, wanted: type) -> bool:
        """Say whether `section` has something for a class."""
        return issubclass(wanted, AgentSettings) or wanted in self._homes

    def unset(self) -> "ArcSettings":
        """The same sections with their defaults."""
        return type(self)(_isolated=True)

    def export_keys(self) -> None:
        """Put vendors' keys that stand in `.env` into the environment, unless they are set there.

        Settings that were made without reading files take the working directory's.
        """
        export_keys(self._sources.folder or SettingsFolder.read(Path.cwd()))

    def origin_of(self, key: str) -> str:
        """Return the place of a dotted key's value, for people; `default` if it is not set."""
        return self._origins.get(key, "default")

    def folder_of(self, key: str) -> Path:
        """Return the folder at which a relative path starts that is the value of a dotted key."""
        folder, origin = self._sources.folder, self.origin_of(key)
        for name in () if folder is None else folder.toml_files:
            if folder is not None and origin.startswith((f"{name},", f"{name} ")):
                return (folder.path / name).parent
        return Path.cwd()

    def written_as(self, key: str) -> object | None:
        """Return the text in a file for a dotted key that is taken from variables: `${TOKEN}`."""
        return self._written.get(key)


def _restore(
    base: type[ArcSettings], values: Mapping[str, Any], read: Mapping[str, Any]
) -> ArcSettings:
    """Settings from another process, which has the same packages."""
    settings = base(_isolated=True, **values)
    for name, value in read.items():
        setattr(settings, name, value)
    return settings


class KnownSettings:
    """The settings of Arc and of the packages that have been imported so far."""

    def __init__(self) -> None:
        self._model: type[ArcSettings] = ArcSettings

    def unknown_part(self, path: KeyPath) -> tuple[KeyPath, str | None] | None:
        """The first unknown part of a path, for which packages are looked for again."""
        if unknown_part(self._model, path) is not None:
            lines = entry_point_lines()
            modules = tuple(map(sys.modules.get, _section_modules(lines)))
            self._model = _known_settings(lines, modules)
        return unknown_part(self._model, path)


@lru_cache(maxsize=1)
def _section_modules(lines: tuple[EntryPointLine, ...]) -> tuple[str, ...]:
    return tuple(each.module for each in named_in_metadata(lines))


@lru_cache(maxsize=1)
def _known_settings(
    lines: tuple[EntryPointLine, ...], modules: tuple[ModuleType | None, ...]
) -> type[ArcSettings]:
    del modules  # only says whether anything has changed
    return compose(ArcSettings, imported_sections(lines))


def _find_sources(values: Mapping[str, Any]) -> Sources:
    """The sources that the arguments of `ArcSettings` name."""
    folder = values.get("_folder")
    if values.get("_isolated"):
        folder = None
    elif folder is None:
        folder = SettingsFolder.read(Path.cwd(), config=named_file())
    profiles = values.get("_profiles")
    if profiles is None:
        profiles = active_profiles(folder) if folder is not None else ()
    return Sources(
        keywords={name: get_values(each) for name, each in values.items() if name[0] != "_"},
        command_line=values.get("_command_line") or {},
        folder=folder,
        profiles=tuple(profiles),
    )
