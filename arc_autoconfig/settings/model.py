"""All settings of an application, from all their sources."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, PrivateAttr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from typing_extensions import override

from arc_autoconfig.settings.files import toml_file
from arc_autoconfig.settings.folder import SettingsFolder
from arc_autoconfig.settings.layers import Layer, merged, origins_of
from arc_autoconfig.settings.problems import settings_error
from arc_autoconfig.settings.sections import Components, LoggingSettings, PluginsSettings
from arc_autoconfig.settings.variables import (
    DELIMITER,
    PREFIX,
    command_line,
    dot_env,
    environment,
    export_keys,
)
from arc_core.settings import AgentSettings

__all__ = ["ArcSettings"]


class ArcSettings(AgentSettings, BaseSettings):
    """Made once per application; what is not given as a keyword is read where the user put it.

    Of each key the last of these counts: its default, `./arc.toml` or `[tool.arc]` in
    `./pyproject.toml`, `./.env`, the environment (`ARC_LLM__PROVIDER`), the command line, keywords.

    Raises:
        SettingsError: A key is unknown, or a value is wrong.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        env_prefix=PREFIX,
        env_nested_delimiter=DELIMITER,
    )

    plugins: PluginsSettings = Field(default_factory=PluginsSettings)
    components: Components = Field(default_factory=dict)
    logging: LoggingSettings = Field(default_factory=LoggingSettings)

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)
    _folder: SettingsFolder | None = PrivateAttr(default=None)

    def __init__(
        self,
        *,
        _command_line: Mapping[str, object] | None = None,
        _isolated: bool = False,
        _folder: SettingsFolder | None = None,
        **values: Any,
    ) -> None:
        """Read all sources.

        Args:
            _command_line: Values by dotted key, as options of a command gave them.
            _isolated: Whether neither files nor the environment are read.
            _folder: The folder whose files count, already read; None reads the working directory.
            values: Settings by name; a section may be given as a mapping.
        """
        layers = [Layer(values, lambda key: f"keyword argument {key}")]
        if not _isolated:
            _folder = SettingsFolder.read(Path.cwd()) if _folder is None else _folder
            layers = [*_outer_layers_of(type(self), _command_line or {}, _folder), *layers]
        try:
            super().__init__(**merged(layers))
        except ValidationError as error:
            raise settings_error(type(self), error, origins_of(layers)) from None
        self._origins, self._folder = origins_of(layers), _folder

    @classmethod
    @override
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """None but the values handed in: the layers, already read and merged."""
        return (init_settings,)

    def export_keys(self) -> None:
        """Put vendors' keys that stand in `.env` into the environment, unless they are set there.

        Settings that were made without reading files take the working directory's.
        """
        export_keys(self._folder or SettingsFolder.read(Path.cwd()))

    def origin_of(self, key: str) -> str:
        """Where a dotted key got its value, in words for people; `default` where nobody set it."""
        return self._origins.get(key, "default")


def _outer_layers_of(
    settings_class: type[ArcSettings], options: Mapping[str, object], folder: SettingsFolder
) -> list[Layer]:
    file = toml_file(settings_class, folder)
    return [
        *([file] if file is not None else []),
        dot_env(settings_class, folder),
        environment(settings_class),
        command_line(settings_class, options),
    ]
