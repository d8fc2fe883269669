"""The text of the one TOML file that holds settings: its table, and where its keys stand."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.inputs.folder import SettingsFolder

# Projects without settings for Arc need not wait until their file is parsed.
_MAY_HOLD_SETTINGS = re.compile(r"""["']?tool["']?[ \t]*+(?:[=\]]|\.[ \t]*+["']?arc\b)""")

_ENTRY = re.compile(r"\s*+\[\[\s*+([^\[\]\s]++(?:\s++[^\[\]\s]++)*+)\s*+\]\]")
_HEADER = re.compile(r"\s*+\[\s*+([^\[\]\s]++(?:\s++[^\[\]\s]++)*+)\s*+\]")
_KEY = re.compile(r"""\s*+([\w.\-"']++(?: ++[\w.\-"']++)*+)\s*+=""")


@dataclass(frozen=True, slots=True)
class TomlText:
    """Arc's settings in a file."""

    name: str
    prefix: tuple[str, ...]
    table: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int] = field(repr=False)

    def place(self, *path: str) -> str:
        """Return the line of a key, or of the nearest table above it that has one."""
        whole = (*self.prefix, *path)
        known = (self.lines.get(whole[:depth]) for depth in range(len(whole), len(self.prefix), -1))
        line = next((number for number in known if number is not None), None)
        return f"{self.name}, line {line}" if line is not None else self.name

    def find_place(self, key: str) -> str:
        """Return the line of a dotted key."""
        return self.place(*_split_key(key))


def toml_text(folder: SettingsFolder) -> TomlText | None:
    """The file of the folder, or the one that is named in its place; None if there is none."""
    found = [each for name in folder.toml_files if (each := _settings_in(folder, name)) is not None]
    if len(found) > 1:
        raise SettingsError(
            "two files hold Arc's settings",
            evidence=[
                f"[{'.'.join(each.prefix)}] in {folder.path / each.name}"
                if each.prefix
                else str(folder.path / each.name)
                for each in found
            ],
            remedy="move the settings into one of them and delete the other",
        )
    return found[0] if found else None


def _settings_in(folder: SettingsFolder, name: str) -> TomlText | None:
    text = folder.text(name)
    is_project = folder.is_project_file(name)
    if text is None or (is_project and not _MAY_HOLD_SETTINGS.search(text)):
        return None
    table = _parse(text, folder, name)
    prefix = ("tool", "arc") if is_project else ()
    for part in prefix:
        table = table.get(part) if isinstance(table, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise SettingsError(
            f"[{'.'.join(prefix)}] in {folder.path / name} is not a table",
            remedy="write settings below it",
        )
    return TomlText(name, prefix, table, find_lines(text))


def _parse(text: str, folder: SettingsFolder, name: str) -> Any:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        is_syntax = isinstance(error, tomllib.TOMLDecodeError)
        problem = (
            str(error) if is_syntax else "a number in it is too long, or it is nested too deeply"
        )
        raise SettingsError(
            f"{folder.path / name} cannot be read",
            evidence=[problem],
            remedy="correct the file's syntax",
        ) from None


def find_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and table by its path, hyphens written as underscores.

    In a list of tables, `[[schedules]]`, each has its number in the path, from 0.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if entry := _ENTRY.match(line):
            *above, name = _split_key(entry[1])
            table = (*_within(above, counts), name)
            lines.setdefault(table, number)
            counts[table] = counts.get(table, -1) + 1
            table = (*table, str(counts[table]))
            lines.setdefault(table, number)
        elif header := _HEADER.match(line):
            table = _within(_split_key(header[1]), counts)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_split_key(key[1])), number)
    return lines


def _within(parts: Sequence[str], counts: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """A path; what stands below a list of tables stands in the last of them."""
    path: tuple[str, ...] = ()
    for part in parts:
        path = (*path, part)
        if path in counts:
            path = (*path, str(counts[path]))
    return path


def _split_key(key: str) -> tuple[str, ...]:
    """The parts of a key as they are looked up."""
    return tuple(part.strip().strip("\"'").replace("-", "_") for part in key.split("."))
