"""Settings in a TOML file: `./arc.toml`, or the table `[tool.arc]` of `./pyproject.toml`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from arc_autoconfig.errors import SettingsError, nearest
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inputs.layers import Layer
from arc_autoconfig.settings.inputs.references import (
    from_text,
    names_in,
    refers,
    required_names,
    resolve,
)
from arc_autoconfig.settings.inputs.toml_text import TomlText, toml_text
from arc_autoconfig.settings.keys import field_at, is_list_section, section_at, unknown_part

PROFILES = "profiles"
"""The table of the profiles, by name."""


def file_layers(
    settings_class: type[BaseModel],
    folder: SettingsFolder,
    *,
    profiles: Sequence[str] | None,
    variables: Mapping[str, str] | None,
    only: str | None = None,
) -> list[Layer]:
    """The layers of the TOML file and its profiles, in order; `only` reads one section.

    Without `profiles` all of them are read, and without `variables` references stay as written.
    """
    file = toml_text(folder)
    tables = _profiles_in(file)
    for name in profiles or ():
        if name not in tables:
            raise _unknown_profile(name, list(tables), file)
    if file is None:
        return []
    if only is None:
        _check_keys(settings_class, file, tables)
    plain = {name: value for name, value in file.table.items() if name != PROFILES}
    active = tables if profiles is None else profiles
    parts = [((), plain), *(((PROFILES, name), tables[name]) for name in active)]
    return [
        _Reader(settings_class, file, prefix, variables, folder.needed).layer(_only(table, only))
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


def _only(table: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    return {each: table[each] for each in table if name is None or each.replace("-", "_") == name}


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
