"""The fields of a class with their markers, which stand on the class or come from outside."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from arc_core.assembly.annotations import describe, get_item, get_name
from arc_core.assembly.errors import AssemblyError, FieldPlace
from arc_core.assembly.markers import Marker, StreamIndex
from arc_core.assembly.shapes import Shape, ShapeField

__all__ = ["MarkedField", "RuleTree", "check_index_type", "index_name", "read_fields"]

_MARKERS = get_args(Marker)


@dataclass(slots=True)
class RuleTree:
    """The rules of one class and of the objects inside it."""

    marker: Marker | None = None
    fields: "dict[str, RuleTree]" = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, rules: Mapping[str, Marker], class_name: str) -> "RuleTree":
        """Read dotted paths, such as `choices.delta.content`; lists are passed through."""
        root = cls()
        for path, marker in rules.items():
            if not isinstance(marker, get_args(Marker)):
                raise AssemblyError(
                    class_name=class_name,
                    field=path,
                    problem=f"the rule {marker!r} is not a marker",
                    remedy="Write an instance, such as StreamAppend().",
                )
            tree = root
            for name in path.split("."):
                tree = tree.fields.setdefault(name, cls())
            tree.marker = marker
        return root

    def unused_rule(self) -> str | None:
        """The path of one rule in here, relative to this tree; None when there is none."""
        for name, tree in self.fields.items():
            below = tree.unused_rule()
            if below is not None or tree.marker is not None:
                return name if tree.marker is not None else f"{name}.{below}"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedField:
    """A field and its marker, if it has one, before it is decided what to do with it."""

    source: ShapeField
    below: RuleTree
    place: FieldPlace
    options: tuple[Any, ...]
    marker: Marker | None

    @property
    def type_name(self) -> str:
        """The types, for people."""
        return " | ".join(map(get_name, self.options)) or "None"


def read_fields(shape: Shape, tree: RuleTree, place: FieldPlace) -> Iterator[MarkedField]:
    """Read the fields of an object, and those that only a rule knows."""
    undeclared = map(ShapeField.extra, _undeclared_fields(shape, tree, place))
    for source in (*shape.fields, *undeclared):
        here = place.at(shape.name, source.name)
        below = tree.fields.get(source.name, RuleTree())
        options = tuple(
            option
            for option in describe(source.annotation).options
            if option is not type(source.unset)
        )
        marker = below.marker or _annotated_marker(source, options, here)
        if source.computed and (marker or below.fields):
            raise here.error(
                "the constructor computes it, so its deltas are not assembled",
                "Remove the marker, or let the constructor take the field.",
            )
        yield MarkedField(source=source, below=below, place=here, options=options, marker=marker)


def _undeclared_fields(shape: Shape, tree: RuleTree, place: FieldPlace) -> Iterator[str]:
    known = [source.name for source in shape.fields]
    for name, below in tree.fields.items():
        if name in known:
            continue
        if not shape.takes_extras or not getattr(below.marker, "extra", False):
            hint = " For one it does not declare say extra=True." if shape.takes_extras else ""
            raise place.at(shape.name, name).error(
                "the rule names no field", f"{shape.name} has {', '.join(known)}.{hint}"
            )
        yield name


def _annotated_marker(
    source: ShapeField, options: tuple[Any, ...], place: FieldPlace
) -> Marker | None:
    metadata = (*source.metadata, *describe(source.annotation).metadata)
    found = list(dict.fromkeys(_markers(metadata, place)))
    items = [listed[1] for listed in map(get_item, options) if listed is not None]
    if any(list(_markers(describe(item).metadata, place)) for item in items):
        raise place.error(
            "a marker on the items of a list means nothing",
            "Mark the field: Annotated[list[Item], StreamIndexedList()].",
        )
    if len(found) > 1:
        names = " and ".join(type(marker).__name__ for marker in found)
        raise place.error(f"it is marked both {names}", "Leave one of them.")
    return found[0] if found else None


def _markers(metadata: tuple[Any, ...], place: FieldPlace) -> Iterator[Marker]:
    for mark in metadata:
        if isinstance(mark, type) and issubclass(mark, _MARKERS):
            raise place.error(
                f"it is marked with the class {mark.__name__}", f"Write {mark.__name__}()."
            )
        if isinstance(mark, Marker):
            yield mark


def index_name(fields: Sequence[MarkedField]) -> str | None:
    """The name of the field marked `StreamIndex`, if there is one."""
    marked = [field for field in fields if isinstance(field.marker, StreamIndex)]
    if len(marked) > 1:
        names = " and ".join(field.source.name for field in marked)
        raise marked[1].place.error(f"{names} are both marked StreamIndex", "Leave one of them.")
    for field in marked:
        check_index_type(field)
    return marked[0].source.name if marked else None


def check_index_type(field: MarkedField) -> None:
    """Check that a field can be an index."""
    if field.options not in {(int,), (Any,)}:
        raise field.place.error(
            f"an index is an int, not {field.type_name}", "Annotate it int, or int | None."
        )
