"""Variables in the values of a file: `"${NAME}"`, `"${NAME:-default}"`, and `"$${"` for `${`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from arc_autoconfig.errors import SettingsError

__all__ = ["names_in", "refers", "required_names", "resolve"]

_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*+)\}|\$\{")


def names_in(value: object) -> tuple[str, ...]:
    """The variables that a value of a file refers to, tables and lists searched."""
    return tuple(dict.fromkeys(_names(value)))


def required_names(value: object) -> frozenset[str]:
    """The variables without a default that a value of a file refers to."""
    if isinstance(value, str):
        found = {each[1] for each in _REFERENCE.finditer(value) if each[1] is not None}
        return frozenset(each for each in found if ":-" not in each)
    if isinstance(value, Mapping | list):
        members = value.values() if isinstance(value, Mapping) else value
        return frozenset().union(*map(required_names, members))
    return frozenset()


def refers(value: object) -> bool:
    """Whether a value refers to variables."""
    return bool(names_in(value))


def resolve(value: Any, variables: Mapping[str, str], place: str) -> Any:
    """A value with its references replaced, in lists and their tables, too.

    Args:
        value: As the file has it.
        variables: By name.
        place: Where the value stands, in words for people.

    Raises:
        SettingsError: A variable without default is not set, or a reference is written wrongly.
    """
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _replace(found, variables, place), value)
    if isinstance(value, list):
        return [resolve(each, variables, place) for each in value]
    if isinstance(value, Mapping):
        return {name: resolve(each, variables, place) for name, each in value.items()}
    return value


def _replace(found: re.Match[str], variables: Mapping[str, str], place: str) -> str:
    if found[0] == "$${":
        return "${"
    name, colon, default = (found[1] or "").partition(":-")
    if not _is_name(name):
        raise SettingsError(
            f"a variable in a value is written wrongly ({place})",
            remedy="write ${NAME} or ${NAME:-default}, and $${ for the characters ${",
        )
    if colon and not variables.get(name):
        return default
    if name not in variables:
        raise SettingsError(
            f"the variable {name} is not set ({place})",
            remedy=f"set it, or write ${{{name}:-default}}",
        )
    return variables[name]


def _names(value: object) -> Iterator[str]:
    if isinstance(value, str):
        for found in _REFERENCE.finditer(value):
            if found[1] is not None:
                yield found[1].partition(":-")[0]
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _names(each)


def _is_name(name: str) -> bool:
    return name.isascii() and name.isidentifier()
