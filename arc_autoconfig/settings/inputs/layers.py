"""One source of settings as a layer, and the layers put together, the last one on top."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one source.

    Attributes:
        values: Nested as the settings are.
        place: Where a dotted key stands in this source, in words for people.
        written: What stands there, by dotted key, for values that are taken from variables.
    """

    values: Mapping[str, Any]
    place: Callable[[str], str]
    written: Mapping[str, Any] = field(default_factory=dict)


def merge(layers: list[Layer]) -> dict[str, Any]:
    """One nested mapping; of each key the last layer's value."""
    result: dict[str, Any] = {}
    for layer in layers:
        result = cover(result, layer.values)
    return result


def cover(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one nested mapping over another, key by key."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        result[key] = cover(under, value) if both else value  # type: ignore[arg-type]
    return result


def find_origins(layers: list[Layer]) -> dict[str, str]:
    """The places of all keys that are set, in words for people, sections included."""
    return {key: layer.place(key) for key, layer in _last_with(layers).items()}


def written_in(layers: list[Layer]) -> dict[str, Any]:
    """The written text of each key whose value is taken from variables."""
    last = _last_with(layers)
    return {key: layer.written[key] for key, layer in last.items() if key in layer.written}


def _last_with(layers: list[Layer]) -> dict[str, Layer]:
    """The layer whose value counts, by key; a list covers all of the one below it."""
    last: dict[str, Layer] = {}
    for layer in layers:
        for key, value in _walk(layer.values):
            if isinstance(value, list):
                last = {each: last[each] for each in last if not each.startswith(f"{key}.")}
            last[key] = layer
    return last


def _walk(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        yield f"{prefix}{name}", value
        yield from _walk(get_members(value), f"{prefix}{name}.")


def get_members(value: Any) -> Mapping[str, Any]:
    """Return a table's members by name; those of a list of tables by their number."""
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        return {str(number): each for number, each in enumerate(value)}
    return value if isinstance(value, Mapping) else {}
