"""The shape of a class as the assembler sees it, whichever library made it."""

import dataclasses
import importlib
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from arc_core.assembly.annotations import describe, field_annotations, get_name
from arc_core.assembly.errors import AssemblyError


class FieldReading(Enum):
    """The way to a field's value in an instance."""

    ATTRIBUTE = auto()
    KEY = auto()
    MODEL = auto()
    """From the `__dict__` of a pydantic model: its attributes take five times as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeField:
    """One field of a class.

    Attributes:
        name: Its attribute or key.
        annotation: Its type, forward references and type variables resolved.
        metadata: Marks that stand beside the annotation, as pydantic keeps them.
        keyword: The name under which the constructor takes it.
        required: Whether an instance needs a value for it.
        may_be_left_out: Whether an instance can exist without it, though it is required.
        tells_unset: Whether a default of its own, other than `None`, has to be told from a value
            that was given.
        unset: A value that stands for "not given", beside `None`.
        computed: Whether the constructor makes it instead of taking it; such a field takes no
            part in the assembly.
        undeclared: Whether the class does not declare it, and a rule does.
    """

    name: str
    annotation: Any
    metadata: tuple[Any, ...] = ()
    keyword: str
    required: bool
    may_be_left_out: bool = False
    tells_unset: bool = False
    unset: object = None
    computed: bool = False
    undeclared: bool = False

    @classmethod
    def extra(cls, name: str) -> "ShapeField":
        """A field that the class does not declare, of any type."""
        return cls(name=name, annotation=Any, keyword=name, required=False, undeclared=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One class."""

    cls: Any
    instance_type: type
    fields: tuple[ShapeField, ...]
    reading: FieldReading
    construct: Callable[[Mapping[str, Any]], object]
    takes_extras: bool = False

    @property
    def name(self) -> str:
        """The class's name for people."""
        return get_name(self.cls)


def _dataclass_fields(cls: Any, annotations: Mapping[str, Any]) -> Iterator[ShapeField]:
    """The fields of a dataclass; those that its constructor does not take are left to it."""
    origin = typing.get_origin(cls) or cls
    for name, annotation in annotations.items():
        if isinstance(annotation, dataclasses.InitVar) and not hasattr(origin, name):
            raise AssemblyError(
                class_name=get_name(cls),
                field=name,
                problem="the constructor demands it and instances do not keep it",
                remedy="Give the InitVar a default.",
            )
    for field in dataclasses.fields(origin):
        yield ShapeField(
            name=field.name,
            annotation=annotations[field.name],
            keyword=field.name,
            required=field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING,
            computed=not field.init,
        )


def _named_tuple_fields(cls: Any, annotations: Mapping[str, Any]) -> Iterator[ShapeField]:
    """The fields of a `NamedTuple`; those of an untyped one are of type `Any`."""
    origin = typing.get_origin(cls) or cls
    for name in origin._fields:
        yield ShapeField(
            name=name,
            annotation=annotations.get(name, Any),
            keyword=name,
            required=name not in origin._field_defaults,
        )


def _typed_dict_fields(cls: Any, annotations: Mapping[str, Any]) -> Iterator[ShapeField]:
    """The keys of a `TypedDict`."""
    origin = typing.get_origin(cls) or cls
    for name, annotation in annotations.items():
        yield ShapeField(
            name=name,
            annotation=annotation,
            keyword=name,
            required=name in origin.__required_keys__,
            may_be_left_out=not describe(annotation).nullable,
        )


_construct: Callable[..., BaseModel] = vars(BaseModel)["model_construct"].__func__
"""Of pydantic itself: overrides, as vendors have, walk through everything inside once more."""


def _pydantic_shape(cls: type[BaseModel], namespace: Mapping[str, Any]) -> Shape:
    """The shape of a pydantic model."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild(raise_errors=False, _types_namespace=namespace)
    if not cls.__pydantic_complete__:
        raise AssemblyError(
            class_name=get_name(cls),
            problem="a forward reference names nothing",
            remedy="Call model_rebuild() once everything is defined, or pass namespace={…}.",
        )

    def construct(values: Mapping[str, Any]) -> BaseModel:
        return _construct(cls, **values)

    return Shape(
        cls=cls,
        instance_type=cls,
        fields=tuple(
            ShapeField(
                name=name,
                annotation=info.annotation,
                metadata=tuple(info.metadata),
                keyword=info.alias or name,
                required=info.is_required(),
                tells_unset=info.default not in (None, PydanticUndefined)
                or info.default_factory is not None,
            )
            for name, info in cls.model_fields.items()
        ),
        reading=FieldReading.MODEL,
        construct=construct,
        takes_extras=cls.model_config.get("extra") == "allow",
    )


def _struct_fields(cls: Any, annotations: Mapping[str, Any]) -> Iterator[ShapeField]:
    """The fields of a `msgspec.Struct`; `UNSET` stands for one that a delta does not have."""
    msgspec = importlib.import_module("msgspec")
    origin = typing.get_origin(cls) or cls
    names = origin.__struct_fields__
    without_default = (msgspec.NODEFAULT,) * (len(names) - len(origin.__struct_defaults__))
    defaults = dict(zip(names, without_default + origin.__struct_defaults__, strict=True))
    for name, default in defaults.items():
        yield ShapeField(
            name=name,
            annotation=annotations[name],
            keyword=name,
            required=default is msgspec.NODEFAULT,
            unset=msgspec.UNSET if default is msgspec.UNSET else None,
        )


def _attrs_fields(cls: Any, annotations: Mapping[str, Any]) -> Iterator[ShapeField]:
    """The fields of an attrs class; those that its constructor does not take are left to it."""
    nothing = importlib.import_module("attrs").NOTHING
    for attribute in (typing.get_origin(cls) or cls).__attrs_attrs__:
        yield ShapeField(
            name=attribute.name,
            annotation=annotations.get(attribute.name, attribute.type or Any),
            keyword=attribute.alias,
            required=attribute.default is nothing,
            computed=not attribute.init,
        )


ReadFields = Callable[[Any, Mapping[str, Any]], Iterator[ShapeField]]
"""Reads the fields of a class, whose annotations are given by their names."""

_READERS: Mapping[str, ReadFields] = {
    "__struct_fields__": _struct_fields,
    "__attrs_attrs__": _attrs_fields,
    "__dataclass_fields__": _dataclass_fields,
    "_fields": _named_tuple_fields,
}
"""The reader of each kind of classes but typed dictionaries, by an attribute that they have."""


def is_record(cls: Any) -> bool:
    """True if `cls` is a class of objects with fields, and can be assembled."""
    origin = typing.get_origin(cls) or cls
    if not isinstance(origin, type) or origin is BaseModel:
        return False
    return issubclass(origin, BaseModel) or _find_reader(origin) is not None


def get_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a record class."""
    origin = typing.get_origin(cls) or cls
    if issubclass(origin, BaseModel):
        return _pydantic_shape(cls, namespace)
    read, is_dict = _find_reader(origin), typing.is_typeddict(origin)
    assert read is not None, f"{cls} is not a record"
    return Shape(
        cls=cls,
        instance_type=dict if is_dict else origin,
        fields=tuple(read(cls, field_annotations(cls, namespace))),
        reading=FieldReading.KEY if is_dict else FieldReading.ATTRIBUTE,
        construct=dict if is_dict else lambda values: origin(**values),
        takes_extras=is_dict,
    )


def _find_reader(origin: type) -> ReadFields | None:
    if typing.is_typeddict(origin):
        return _typed_dict_fields
    return next((read for sign, read in _READERS.items() if hasattr(origin, sign)), None)
