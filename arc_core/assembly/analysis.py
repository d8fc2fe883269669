"""From a class, its markers and its rules to a merge plan; every mistake in them is found here."""

import dataclasses
import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, get_args

from arc_core.assembly.annotations import describe, get_item, get_name
from arc_core.assembly.errors import AssemblyError, FieldPlace
from arc_core.assembly.markers import (
    Marker,
    StreamAppend,
    StreamIndex,
    StreamIndexedList,
    StreamMerge,
)
from arc_core.assembly.plan import (
    ClassPlan,
    Concatenate,
    FieldPlan,
    JoinPieces,
    MergeFields,
    MergeItems,
    MergeWith,
    Replace,
    Strategy,
)
from arc_core.assembly.shapes import Shape, ShapeField, get_shape, is_record

_MARKERS = get_args(Marker)


@dataclass(slots=True)
class _RuleTree:
    """The rules of one class and of the objects inside it."""

    marker: Marker | None = None
    fields: "dict[str, _RuleTree]" = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, rules: Mapping[str, Marker], class_name: str) -> "_RuleTree":
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
class _MarkedField:
    """A field and its marker, if it has one, before it is decided what to do with it."""

    source: ShapeField
    below: _RuleTree
    place: FieldPlace
    options: tuple[Any, ...]
    marker: Marker | None

    @property
    def type_name(self) -> str:
        """The types, for people."""
        return " | ".join(map(get_name, self.options)) or "None"


def _read_fields(shape: Shape, tree: _RuleTree, place: FieldPlace) -> Iterator[_MarkedField]:
    """Read the fields of an object, and those that only a rule knows."""
    undeclared = map(ShapeField.extra, _undeclared_fields(shape, tree, place))
    for source in (*shape.fields, *undeclared):
        here = place.at(shape.name, source.name)
        below = tree.fields.get(source.name, _RuleTree())
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
        yield _MarkedField(source=source, below=below, place=here, options=options, marker=marker)


def _undeclared_fields(shape: Shape, tree: _RuleTree, place: FieldPlace) -> Iterator[str]:
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


def _index_name(fields: Sequence[_MarkedField]) -> str | None:
    """The name of the field marked `StreamIndex`, if there is one."""
    marked = [field for field in fields if isinstance(field.marker, StreamIndex)]
    if len(marked) > 1:
        names = " and ".join(field.source.name for field in marked)
        raise marked[1].place.error(f"{names} are both marked StreamIndex", "Leave one of them.")
    for field in marked:
        _check_index_type(field)
    return marked[0].source.name if marked else None


def _check_index_type(field: _MarkedField) -> None:
    """Check that a field can be an index."""
    if field.options not in {(int,), (Any,)}:
        raise field.place.error(
            f"an index is an int, not {field.type_name}", "Annotate it int, or int | None."
        )


_PIECES: Mapping[Any, type[str] | type[bytes]] = {
    str: str,
    LiteralString: str,
    Any: str,
    bytes: bytes,
}


def analyse(cls: Any, rules: Mapping[str, Marker], namespace: Mapping[str, Any]) -> ClassPlan:
    """The merge plan of `cls`."""
    name = get_name(cls)
    if not is_record(cls):
        raise AssemblyError(
            class_name=name,
            problem="it is not a class of objects with fields",
            remedy="Pass a pydantic model, dataclass, TypedDict, NamedTuple, msgspec.Struct or "
            "attrs class.",
        )
    return _Analysis(namespace).plan(cls, _RuleTree.of(rules, name), FieldPlace(name))


class _Analysis:
    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace
        self._plans: dict[Any, ClassPlan] = {}

    def plan(self, cls: Any, tree: _RuleTree, place: FieldPlace) -> ClassPlan:
        """The plan of a class at a place; the one already begun if no rule tells them apart."""
        if not tree.fields and cls in self._plans:
            return self._plans[cls]
        plan = ClassPlan(shape=get_shape(cls, self._namespace))
        if not tree.fields:
            self._plans[cls] = plan
        fields = list(_read_fields(plan.shape, tree, place))
        plan.index = _index_name(fields)
        plan.fields = tuple(
            FieldPlan(
                source=field.source,
                slot=_slot(field.source.name, position),
                strategy=self._strategy(field),
            )
            for position, field in enumerate(fields)
            if not field.source.computed
        )
        return plan

    def _strategy(self, field: _MarkedField) -> Strategy:
        strategy: Strategy
        match field.marker:
            case StreamAppend():
                strategy = self._append(field.marker, field)
            case StreamIndexedList():
                strategy = self._items(field.marker, field)
            case StreamMerge():
                strategy = _merge_with(field.marker, field)
            case _:
                strategy = Replace()
        lost = field.below.unused_rule()
        if lost is not None and not isinstance(strategy, MergeFields | MergeItems):
            raise field.place.error(
                f"the rule for {lost!r} below it has no effect, for it is not merged by field",
                "Give it a rule, too: StreamAppend(), or StreamIndexedList() for a list.",
            )
        return strategy

    def _append(self, marker: StreamAppend, field: _MarkedField) -> Strategy:
        option = field.options[0] if len(field.options) == 1 else None
        pieces = _PIECES.get(option)
        if pieces is str or (pieces is not None and marker.coerce is None):
            return JoinPieces(pieces, marker.coerce)
        listed = get_item(option)
        if marker.coerce is None and listed is not None:
            return Concatenate(listed[0])
        if marker.coerce is None and is_record(option):
            return MergeFields(self.plan(option, field.below, field.place))
        coercing = "(coerce=…)" if marker.coerce else ""
        raise field.place.error(
            f"StreamAppend{coercing} does not fit {field.type_name}",
            "It appends text, bytes and lists, and merges objects of one class by field; coerce "
            "is for text. For anything else use StreamMerge(function).",
        )

    def _items(self, marker: StreamIndexedList, field: _MarkedField) -> Strategy:
        listed = get_item(field.options[0]) if len(field.options) == 1 else None
        items = describe(listed[1]).options if listed else ()
        if listed is None or len(items) != 1 or not is_record(items[0]):
            raise field.place.error(
                f"StreamIndexedList does not fit {field.type_name}",
                "It merges a list of objects of one class. For anything else use "
                "StreamMerge(function).",
            )
        if marker.missing not in {"error", "append", "continue"}:
            raise field.place.error(
                f"StreamIndexedList does not know missing={marker.missing!r}",
                'Write "error", "append" or "continue".',
            )
        plan = self.plan(items[0], field.below, field.place)
        return MergeItems(
            plan=plan,
            container=listed[0],
            by=_index_field(marker, plan, field),
            identity=marker.identity,
            missing=marker.missing,
        )


def _index_field(marker: StreamIndexedList, plan: ClassPlan, field: _MarkedField) -> str:
    name = plan.shape.name
    items = {
        item.source.name: item
        for item in _read_fields(plan.shape, field.below, field.place)
        if not item.source.computed
    }
    for wanted in (marker.by, marker.identity):
        if wanted is not None and wanted not in items:
            raise field.place.error(
                f"its items, of {name}, have no field {wanted!r}", f"They have {', '.join(items)}."
            )
    by = marker.by or plan.index
    if by is None:
        raise field.place.error(
            f"its items, of {name}, have no index field",
            f'Annotate one of {name} with StreamIndex(), or name it: StreamIndexedList(by="…").',
        )
    _check_index_type(items[by])
    return by


def _merge_with(marker: StreamMerge, field: _MarkedField) -> MergeWith:
    if not callable(marker.function):
        raise field.place.error(
            "StreamMerge needs a function of the accumulated value and the delta",
            "Write StreamMerge(function).",
            type(marker.function),
        )
    return MergeWith(marker.function)


def _slot(name: str, position: int) -> str:
    """An attribute name that means itself wherever it stands in source text."""
    plain = name.isascii() and name.isidentifier() and not name.startswith("_")
    return name if plain and not keyword.iskeyword(name) else f"_{position}"
