"""The sources of settings, lowest first; each is a layer that later ones cover key by key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Layer", "merged", "origin_in"]


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says.

    Attributes:
        values: Nested as the settings are.
        place: Where a dotted key stands in this source, in words for people.
    """

    values: Mapping[str, Any]
    place: Callable[[str], str]


def merged(layers: list[Layer]) -> dict[str, Any]:
    """One nested mapping; of each key the last layer's value."""
    result: dict[str, Any] = {}
    for layer in layers:
        result = _covered(result, layer.values)
    return result


def _covered(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        result[key] = _covered(under, value) if both else value  # type: ignore[arg-type]
    return result


def origin_in(layers: list[Layer], key: str) -> str | None:
    """Where a dotted key got its value; None for a default."""
    for layer in reversed(layers):
        found: Any = layer.values
        for part in key.split("."):
            if not isinstance(found, Mapping) or part not in found:
                break
            found = found[part]
        else:
            return layer.place(key)
    return None
