"""Random classes with markers, random values of them, and every way of cutting those into deltas.

A schema says what a class is made of; a class of any family can be made of it. Values are plain
dictionaries, `None` for what is not there, until `RandomClass.record` makes instances of them.
"""

import dataclasses
import itertools
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Any, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st

from arc_core.assembly import StreamAppend, StreamIndex, StreamIndexedList

__all__ = ["FAMILIES", "RandomClass", "Schema", "cuts", "plain_values", "schemas"]

Plain = dict[str, Any]


class Kind(Enum):
    """What is done with a field."""

    REPLACED_TEXT = auto()
    REPLACED_NUMBER = auto()
    APPENDED_TEXT = auto()
    APPENDED_LIST = auto()
    MERGED_OBJECT = auto()
    MERGED_ITEMS = auto()


@dataclass(frozen=True)
class Schema:
    """The fields of a class, with the schemas of the objects inside; an item has an index, too."""

    fields: Mapping[str, Kind]
    inner: Mapping[str, "Schema"]
    is_item: bool = False


def schemas(depth: int = 2, *, is_item: bool = False) -> st.SearchStrategy[Schema]:
    """Classes of up to four fields, with classes inside them `depth` levels down."""
    kinds = [kind for kind in Kind if depth or kind not in {Kind.MERGED_OBJECT, Kind.MERGED_ITEMS}]

    def with_inner(fields: dict[str, Kind]) -> st.SearchStrategy[Schema]:
        inner = {
            name: schemas(depth - 1, is_item=kind is Kind.MERGED_ITEMS)
            for name, kind in fields.items()
            if kind in {Kind.MERGED_OBJECT, Kind.MERGED_ITEMS}
        }
        return st.fixed_dictionaries(inner).map(lambda made: Schema(fields, made, is_item))

    names = st.sampled_from(["a", "b_1", "content", "state", "items2"])
    return st.dictionaries(names, st.sampled_from(kinds), max_size=4).flatmap(with_inner)


def plain_values(schema: Schema) -> st.SearchStrategy[Plain]:
    """Values of a schema; the items of a list by index."""
    return st.fixed_dictionaries(
        {name: st.none() | _values_of(schema, name, kind) for name, kind in schema.fields.items()}
    )


def _values_of(schema: Schema, name: str, kind: Kind) -> st.SearchStrategy[Any]:
    match kind:
        case Kind.REPLACED_TEXT | Kind.APPENDED_TEXT:
            return st.text(max_size=6)
        case Kind.REPLACED_NUMBER:
            return st.integers(0, 3)
        case Kind.APPENDED_LIST:
            return st.lists(st.integers(), max_size=4)
        case Kind.MERGED_OBJECT:
            return plain_values(schema.inner[name])
        case Kind.MERGED_ITEMS:
            items = st.dictionaries(st.integers(0, 9), plain_values(schema.inner[name]), max_size=3)
            return items.map(_by_place)


def _by_place(items: Mapping[int, Plain]) -> list[Plain]:
    return [{"place": place, **items[place]} for place in sorted(items)]


@st.composite
def cuts(draw: st.DrawFn, schema: Schema, value: Plain, *, count: int | None = None) -> list[Plain]:
    """Deltas whose assembly is `value`; some of them are all `None`."""
    count = draw(st.integers(1, 4)) if count is None else count
    columns = {
        name: [None] * count
        if value[name] is None
        else _cut(draw, schema, name, value[name], count)
        for name in schema.fields
    }
    return [{name: column[i] for name, column in columns.items()} for i in range(count)]


def _cut(draw: st.DrawFn, schema: Schema, name: str, value: Any, count: int) -> list[Any]:
    match schema.fields[name]:
        case Kind.REPLACED_TEXT | Kind.REPLACED_NUMBER:
            others = _values_of(schema, name, schema.fields[name])
            last = draw(st.integers(0, count - 1))
            before = draw(st.lists(st.none() | others, min_size=last, max_size=last))
            return [*before, value, *[None] * (count - last - 1)]
        case Kind.APPENDED_TEXT | Kind.APPENDED_LIST:
            return _cut_sequence(draw, value, count)
        case Kind.MERGED_OBJECT:
            parts = draw(cuts(schema.inner[name], value, count=count))
            return _some_left_out(draw, parts)
        case Kind.MERGED_ITEMS:
            return _cut_items(draw, schema.inner[name], value, count)


def _cut_sequence(draw: st.DrawFn, value: Any, count: int) -> list[Any]:
    places = st.lists(st.integers(0, len(value)), min_size=count - 1, max_size=count - 1)
    ends = [0, *sorted(draw(places)), len(value)]
    pieces = [value[start:end] for start, end in itertools.pairwise(ends)]
    return _some_left_out(draw, pieces)


def _cut_items(draw: st.DrawFn, schema: Schema, value: list[Plain], count: int) -> list[Any]:
    columns = [
        [None if part is None else {"place": item["place"], **part} for part in _some_left_out(
            draw, draw(cuts(schema, item, count=count)))]
        for item in value
    ]  # fmt: skip
    rows = [[part for part in row if part is not None] for row in zip(*columns, strict=True)]
    shuffled = [draw(st.permutations(row)) for row in rows] or [[] for _ in range(count)]
    return _some_left_out(draw, shuffled)


def _some_left_out(draw: st.DrawFn, parts: list[Any]) -> list[Any]:
    """Parts that say nothing may be `None`, but not all of them."""
    kept = draw(st.integers(0, len(parts) - 1))
    return [
        None if i != kept and _says_nothing(part) and draw(st.booleans()) else part
        for i, part in enumerate(parts)
    ]


def _says_nothing(part: Any) -> bool:
    return not part or (isinstance(part, dict) and all(v is None for v in part.values()))


Fields = dict[str, tuple[Any, Any]]
"""Annotation and default by name; `...` for no default."""


def _dataclass(fields: Fields) -> type:
    columns: list[Any] = [
        (name, kind) if default is ... else (name, kind, dataclasses.field(default=default))
        for name, (kind, default) in fields.items()
    ]
    return dataclasses.make_dataclass("Record", columns, frozen=True, slots=True)


def _pydantic(fields: Fields) -> Any:
    return pydantic.create_model(
        "Record", __config__=pydantic.ConfigDict(frozen=True), **typing.cast(Any, fields)
    )


def _typed_dict(fields: Fields) -> Any:
    make: Any = TypedDict
    return make("Record", {name: kind for name, (kind, _) in fields.items()}, total=False)


def _named_tuple(fields: Fields) -> Any:
    make: Any = NamedTuple
    made = make("Record", [(name, kind) for name, (kind, _) in fields.items()])
    made.__new__.__defaults__ = tuple(d for _, d in fields.values() if d is not ...)
    made._field_defaults = {n: d for n, (_, d) in fields.items() if d is not ...}
    return made


def _msgspec(fields: Fields) -> type:
    columns: list[Any] = [
        (name, kind) if default is ... else (name, kind, default)
        for name, (kind, default) in fields.items()
    ]
    return msgspec.defstruct("Record", columns)


def _attrs(fields: Fields) -> type:
    columns = {
        name: attrs.field(type=kind) if default is ... else attrs.field(type=kind, default=default)
        for name, (kind, default) in fields.items()
    }
    return attrs.make_class("Record", columns, frozen=True)


FAMILIES: Mapping[str, Callable[[Fields], Any]] = {
    "dataclass": _dataclass,
    "pydantic": _pydantic,
    "TypedDict": _typed_dict,
    "NamedTuple": _named_tuple,
    "msgspec": _msgspec,
    "attrs": _attrs,
}


class RandomClass:
    """A class of a family, with the markers that a schema wants.

    Attributes:
        cls: The class.
    """

    def __init__(self, schema: Schema, family: str) -> None:
        self._is_dict = family == "TypedDict"
        self._inner = {name: RandomClass(each, family) for name, each in schema.inner.items()}
        fields: Fields = {"place": (Annotated[int, StreamIndex()], ...)} if schema.is_item else {}
        for name, kind in schema.fields.items():
            inner = self._inner[name].cls if name in self._inner else object
            fields[name] = (_annotation(kind, inner), None)
        self.cls: Any = FAMILIES[family](fields)

    def record(self, plain: Plain) -> Any:
        """An instance with these values."""
        values = {name: self._value(name, value) for name, value in plain.items()}
        if self._is_dict:
            return {name: value for name, value in values.items() if value is not None}
        return self.cls(**values)

    def _value(self, name: str, value: Any) -> Any:
        if value is None or name not in self._inner:
            return value
        inner = self._inner[name]
        return list(map(inner.record, value)) if isinstance(value, list) else inner.record(value)


def _annotation(kind: Kind, inner: Any) -> Any:
    annotations: dict[Kind, Any] = {
        Kind.REPLACED_TEXT: str | None,
        Kind.REPLACED_NUMBER: int | None,
        Kind.APPENDED_TEXT: Annotated[str | None, StreamAppend()],
        Kind.APPENDED_LIST: Annotated[list[int] | None, StreamAppend()],
        Kind.MERGED_OBJECT: Annotated[inner | None, StreamAppend()],
        Kind.MERGED_ITEMS: Annotated[list[inner] | None, StreamIndexedList()],
    }
    return annotations[kind]
