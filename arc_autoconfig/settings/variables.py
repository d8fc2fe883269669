"""Settings given as text: environment variables, the `.env` file, the command line."""

import io
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from dotenv import dotenv_values
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.folder import DOT_ENV, SettingsFolder
from arc_autoconfig.settings.keys import key_without_levels, path_of, unknown_part
from arc_autoconfig.settings.layers import Layer
from arc_core.log import get_logger

__all__ = [
    "PREFIX",
    "TRUST_VARIABLE",
    "command_line",
    "dot_env",
    "environment",
    "export_keys",
    "is_key",
    "lines_of_dot_env",
]

PREFIX = "ARC_"
DELIMITER = "__"

TRUST_VARIABLE = "ARC_TRUST"
"""Says on the command line that the working directory is trusted."""

_RESERVED = ("ARC_TEST_", "ARC_BENCH_", "ARC_RECORDED_STREAMS", "ARC_PYTHON", TRUST_VARIABLE)
"""Variables that are not settings: for tests and benchmarks of Arc itself, and for trust."""

_REDIRECTS = re.compile(r"_(BASE_URL|API_BASE|ENDPOINT|PROXY)$", re.IGNORECASE)

logger = get_logger("settings")

SettingsClass = type[BaseSettings]


def environment(settings_class: SettingsClass) -> Layer:
    """The `ARC_…` variables of the process; blank ones say nothing."""
    return _layer(settings_class, os.environ, lambda key: f"environment variable {_variable(key)}")


def dot_env(settings_class: SettingsClass, folder: SettingsFolder) -> Layer:
    """The `ARC_…` lines of the folder's `.env`; for its other lines see `export_keys`.

    Raises:
        SettingsError: It tries to say that the folder is trusted.
    """
    written = {name.upper(): value for name, value in lines_of_dot_env(folder).items()}
    if TRUST_VARIABLE in written:
        raise SettingsError(
            f"{TRUST_VARIABLE} in .env has no effect: a folder cannot trust itself",
            remedy=f"remove the line; `arc trust` remembers that you trust the folder, and "
            f"{TRUST_VARIABLE}=1 in the environment says so once",
        )
    return _layer(settings_class, written, lambda key: f"{_variable(key)} in .env")


def lines_of_dot_env(folder: SettingsFolder, *, interpolate: bool = True) -> dict[str, str]:
    """The lines of the folder's `.env` by name.

    Args:
        folder: Already read.
        interpolate: Whether `${NAME}` stands for another line's or variable's value.
    """
    text = folder.text(DOT_ENV)
    if text is None:
        return {}
    lines = dotenv_values(stream=io.StringIO(text), interpolate=interpolate)
    return {name: value or "" for name, value in lines.items()}


def is_key(name: str) -> bool:
    """Whether a variable is a vendor's key by its name, `OPENAI_API_KEY`."""
    return name.upper().endswith("_API_KEY") and not name.upper().startswith(PREFIX)


def export_keys(folder: SettingsFolder) -> None:
    """Put the keys in the folder's `.env` into the environment, unless they are set there.

    Vendors' libraries read their keys in the environment, and conditions look there. Nothing else
    is taken over: a proxy or a vendor's base URL would redirect what is sent.
    """
    lines = lines_of_dot_env(folder)
    for name, text in lines.items():
        if is_key(name):
            os.environ.setdefault(name, text)
    ignored = sorted(each for each in lines if _REDIRECTS.search(each) and each not in os.environ)
    if ignored:
        logger.warning(
            "variables in .env that redirect connections have no effect: set them in the "
            "environment, or set llm.base_url",
            variables=ignored,
        )


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
        meant = key_without_levels(settings_class, key) or unknown[1]
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
