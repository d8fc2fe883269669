"""Settings in a TOML file: `./arc.toml`, or the table `[tool.arc]` of `./pyproject.toml`."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.folder import OWN_FILE, PROJECT_FILE, SettingsFolder
from arc_autoconfig.settings.keys import section_at
from arc_autoconfig.settings.layers import Layer

__all__ = ["toml_file"]

_HEADER = re.compile(r"\s*+\[\s*+([^\[\]\s]++(?:\s++[^\[\]\s]++)*+)\s*+\]")
_KEY = re.compile(r"""\s*+([\w.\-"']++(?: ++[\w.\-"']++)*+)\s*+=""")


def toml_file(settings_class: type[BaseModel], folder: SettingsFolder) -> Layer | None:
    """The settings of the folder's TOML file; keys may be written with `-` or `_`.

    Raises:
        SettingsError: The file is not TOML, or both files hold settings.
    """
    own, project = folder.path / OWN_FILE, folder.path / PROJECT_FILE
    in_own, in_project = _table(folder, OWN_FILE), _table(folder, PROJECT_FILE)
    for table in ("tool", "arc"):
        in_project = in_project.get(table) if isinstance(in_project, dict) else None
    if in_own is not None and in_project is not None:
        raise SettingsError(
            "two files hold Arc's settings",
            evidence=[str(own), f"[tool.arc] in {project}"],
            remedy="move the settings into one of them and delete the other",
        )
    if in_own is not None:
        return _layer(settings_class, folder, OWN_FILE, table=in_own, prefix=())
    if in_project is not None:
        prefix = ("tool", "arc")
        return _layer(settings_class, folder, PROJECT_FILE, table=in_project, prefix=prefix)
    return None


def _table(folder: SettingsFolder, name: str) -> Any:
    text = folder.text(name)
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{folder.path / name} cannot be read",
            evidence=[str(error)],
            remedy="correct the file's syntax",
        ) from None


def _layer(
    settings_class: type[BaseModel],
    folder: SettingsFolder,
    name: str,
    *,
    table: Any,
    prefix: tuple[str, ...],
) -> Layer:
    if not isinstance(table, dict):
        raise SettingsError(
            f"[{'.'.join(prefix)}] in {folder.path / name} is not a table",
            remedy="write settings below it",
        )
    lines = _lines_of(folder.text(name) or "")

    def place(key: str) -> str:
        path = (*prefix, *_parts(key))
        known = (lines.get(path[:depth]) for depth in range(len(path), len(prefix), -1))
        line = next((number for number in known if number is not None), None)
        return f"{name}, line {line}" if line is not None else name

    return Layer(_named_as_in(settings_class, table), place)


def _named_as_in(model: type[BaseModel] | None, table: Any) -> Any:
    if model is None or not isinstance(table, Mapping):
        return table
    named: dict[str, Any] = {}
    for written, value in table.items():
        key = written.replace("-", "_")
        if key in named:
            raise SettingsError(
                f"{key} is set twice, as {written} and as {key}", remedy="keep one of the two"
            )
        named[key] = _named_as_in(section_at(model, (key,)), value)
    return named


def _lines_of(text: str) -> dict[tuple[str, ...], int]:
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'").replace("-", "_") for part in key.split("."))
