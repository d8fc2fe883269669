"""Settings in a TOML file: `./arc.toml`, or the table `[tool.arc]` of `./pyproject.toml`."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from arc_autoconfig.errors import SettingsError, nearest
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inputs.layers import Layer
from arc_autoconfig.settings.inputs.variables import (
    from_text,
    names_in,
    refers,
    required_names,
    resolve,
)
from arc_autoconfig.settings.keys import field_at, is_list_section, section_at, unknown_part

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
    """The line of each key by its path, in lists of tables with their numbers from 0."""
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


PROFILES = "profiles"
"""The table of the profiles, by name."""


def file_layers(
    settings_class: type[BaseModel],
    folder: SettingsFolder,
    *,
    profiles: Sequence[str] | None,
    variables: Mapping[str, str] | None,
) -> list[Layer]:
    """The layers of the TOML file and its profiles, in order.

    Without `profiles` all of them are read, and without `variables` references stay as written.
    """
    file = toml_text(folder)
    tables = _profiles_in(file)
    for name in profiles or ():
        if name not in tables:
            raise _unknown_profile(name, list(tables), file)
    if file is None:
        return []
    _check_keys(settings_class, file, tables)
    plain = {name: value for name, value in file.table.items() if name != PROFILES}
    active = tables if profiles is None else profiles
    parts = [((), plain), *(((PROFILES, name), tables[name]) for name in active)]
    return [
        _Reader(settings_class, file, prefix, variables, folder.needed).layer(table)
        for prefix, table in parts
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one table of the file into a layer."""

    settings_class: type[BaseModel]
    file: TomlText
    prefix: tuple[str, ...]
    variables: Mapping[str, str] | None
    needed: frozenset[str] | None = None
    written: dict[str, Any] = field(default_factory=dict)

    def layer(self, table: Mapping[str, Any]) -> Layer:
        try:
            values = self._table(table, ())
        except RecursionError:
            problem = f"{self.file.name} is nested too deeply"
            raise SettingsError(problem, remedy="write its tables less deeply") from None
        return Layer(values, self._place, self.written)

    def _table(self, table: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        is_section = section_at(self.settings_class, path) is not None
        named: dict[str, Any] = {}
        for written, value in table.items():
            name = written.replace("-", "_") if is_section else written
            if name in named:
                raise SettingsError(
                    f"{name} is set twice, as {written} and as {name}", remedy="keep one of the two"
                )
            if not self._lacks_unneeded(value, (*path, name)):
                named[name] = self._value(value, (*path, name))
        return named

    def _lacks_unneeded(self, value: Any, path: tuple[str, ...]) -> bool:
        """Say whether a value needs a variable that is not set, in a section that is not used."""
        if self.needed is None or self.variables is None or path[0] in self.needed:
            return False
        is_table = isinstance(value, Mapping)
        return not is_table and not required_names(value) <= self.variables.keys()

    def _value(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, Mapping):
            return self._table(value, path)
        key = ".".join(path)
        value = self._entries(value, path)
        if self.variables is None or not refers(value):
            return value if self.variables is None else resolve(value, {}, self._place(key))
        found = resolve(value, self.variables, self._place(key))
        self._note_written(key, value)
        return from_text(field_at(self.settings_class, path), found)

    def _note_written(self, key: str, value: Any) -> None:
        """Note what refers to variables, of a list of tables each key."""
        self.written[key] = value
        tables: list[Any] = value if isinstance(value, list) else []
        for number, table in enumerate(tables):
            if isinstance(table, Mapping):
                names = [name for name, member in table.items() if refers(member)]
                self.written.update({f"{key}.{number}.{name}": table[name] for name in names})

    def _entries(self, value: Any, path: tuple[str, ...]) -> Any:
        """The tables of a section that is a list, whose keys may have hyphens, too."""
        found = field_at(self.settings_class, path)
        if found is None or not is_list_section(found.annotation) or not isinstance(value, list):
            return value
        return [
            {name.replace("-", "_"): member for name, member in each.items()}
            if isinstance(each, Mapping)
            else each
            for each in value
        ]

    def _place(self, key: str) -> str:
        place = self.file.find_place(".".join((*self.prefix, key)))
        variables = names_in(self.written.get(key))
        return "".join(
            [
                place,
                f" (profile {self.prefix[1]})" if self.prefix else "",
                f", from {', '.join(variables)}" if variables else "",
            ]
        )


def _profiles_in(file: TomlText | None) -> Mapping[str, Mapping[str, Any]]:
    tables = file.table.get(PROFILES, {}) if file is not None else {}
    if not isinstance(tables, dict) or not all(isinstance(each, dict) for each in tables.values()):
        assert file is not None
        raise SettingsError(
            f"{PROFILES} is not a table of tables ({file.place(PROFILES)})",
            remedy="write [profiles.prod] and settings below it",
        )
    return tables


def _check_keys(
    settings_class: type[BaseModel], file: TomlText, tables: Mapping[str, Mapping[str, Any]]
) -> None:
    """Check the keys of all profiles, so that a misspelt one shows before it is needed."""
    for name, table in tables.items():
        for path in _paths(table):
            plain = tuple(part.replace("-", "_") for part in path)
            unknown = unknown_part(settings_class, plain)
            if unknown is not None:
                key = ".".join((PROFILES, name, *path))
                raise SettingsError(
                    f"{key} ({file.place(PROFILES, name, *plain)}) does not exist",
                    remedy=f"write {PROFILES}.{name}.{unknown[1]}" if unknown[1] else "remove it",
                )


def _paths(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _paths(value, (*path, name))
        else:
            yield (*path, name)


def _unknown_profile(name: str, known: Sequence[str], file: TomlText | None) -> SettingsError:
    meant = nearest(name, known)
    table = ".".join([*(file.prefix if file is not None else ()), PROFILES, name])
    return SettingsError(
        f"ARC_PROFILE names {name!r}, and there is no such profile",
        evidence=[f"profiles{f' in {file.name}' if file else ''}: {', '.join(known) or 'none'}"],
        remedy=f"write {meant!r}" if meant else f"add [{table}] to the settings file",
    )
