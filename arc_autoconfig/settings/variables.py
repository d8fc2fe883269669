"""Settings given as text: environment variables, the `.env` file, the command line."""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.keys import path_of, unknown_part
from arc_autoconfig.settings.layers import Layer

__all__ = ["PREFIX", "command_line", "dot_env", "environment", "export_dot_env"]

PREFIX = "ARC_"
DELIMITER = "__"

_RESERVED = ("ARC_TEST_", "ARC_BENCH_", "ARC_RECORDED_STREAMS", "ARC_PYTHON")
"""Variables that are no settings: for tests and benchmarks of Arc itself."""

SettingsClass = type[BaseSettings]


def environment(settings_class: SettingsClass) -> Layer:
    """The `ARC_…` variables of the process; blank ones say nothing."""
    return _layer(settings_class, os.environ, lambda key: f"environment variable {_variable(key)}")


def dot_env(settings_class: SettingsClass) -> Layer:
    """The `ARC_…` lines of `./.env`; for the file's other lines see `export_dot_env`."""
    lines = DotEnvSettingsSource(settings_class, env_file=".env").env_vars
    written = {name.upper(): value or "" for name, value in lines.items()}
    return _layer(settings_class, written, lambda key: f"{_variable(key)} in .env")


def export_dot_env(settings_class: SettingsClass) -> None:
    """Put the lines of `./.env` that are not Arc's into the environment, where they are not set.

    Vendors' libraries read their keys there, and conditions look there.
    """
    source = DotEnvSettingsSource(settings_class, env_file=".env", case_sensitive=True)
    for name, text in source.env_vars.items():
        if text is not None and not name.upper().startswith(PREFIX):
            os.environ.setdefault(name, text)


def command_line(settings_class: SettingsClass, values: Mapping[str, object]) -> Layer:
    """Dotted keys with their values, as options of a command gave them."""
    variables = {
        _variable(key): value if isinstance(value, str) else json.dumps(value)
        for key, value in values.items()
    }
    return _layer(settings_class, variables, lambda key: f"{key} on the command line")


def _layer(
    settings_class: SettingsClass, variables: Mapping[str, str], place: Callable[[str], str]
) -> Layer:
    own = {name: text for name, text in variables.items() if _is_setting(name) and text.strip()}
    keys = sorted(_key(name) for name in own)
    for key in keys:
        _check_exists(settings_class, key, place)

    def place_of(key: str) -> str:
        below = [each for each in keys if f"{each}.".startswith(f"{key}.")]
        return place(below[0] if len(below) == 1 else key)

    return Layer(_Variables(settings_class, own, place)(), place_of)


class _Variables(EnvSettingsSource):
    """Reads variables that are handed in instead of the process's."""

    def __init__(
        self,
        settings_class: SettingsClass,
        variables: Mapping[str, str],
        place: Callable[[str], str],
    ) -> None:
        self._given = {name.lower(): text for name, text in variables.items()}
        self._place = place
        super().__init__(settings_class)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._given

    def decode_complex_value(self, field_name: str, field: FieldInfo | None, value: Any) -> Any:
        """A list may be written with commas; other lists and tables are JSON."""
        is_json = value.lstrip().startswith(("[", "{"))
        if field is not None and not is_json and "tuple" in str(field.annotation):
            return [part.strip() for part in value.split(",") if part.strip()]
        try:
            return json.loads(value)
        except ValueError:
            if field is None:  # below a table of the user's own, where text is as good as JSON
                raise
            raise self._unreadable(field_name) from None

    def _unreadable(self, field_name: str) -> SettingsError:
        name = next(name for name in self._given if name.endswith(field_name.lower()))
        return SettingsError(
            f"{self._place(_key(name))} cannot be read",
            evidence=["it is a list or a table, and its text is no JSON"],
            remedy='write a list as a,b or ["a", "b"], a table as {"key": "value"}',
        )


def _check_exists(settings_class: SettingsClass, key: str, place: Callable[[str], str]) -> None:
    unknown = unknown_part(settings_class, path_of(key))
    if unknown is not None:
        meant = unknown[1]
        raise SettingsError(
            f"{place(key)} is no setting of Arc's",
            remedy=f"write {place(meant)}" if meant else "remove it; docs/settings.md has them all",
        )


def _is_setting(name: str) -> bool:
    upper = name.upper()
    return upper.startswith(PREFIX) and not upper.startswith(_RESERVED)


def _key(variable: str) -> str:
    return ".".join(variable[len(PREFIX) :].lower().split(DELIMITER))


def _variable(key: str) -> str:
    return PREFIX + DELIMITER.join(path_of(key)).upper()
