"""The shape of a class as the assembler sees it, whichever library made it."""

import dataclasses
import importlib
import typing
from collections.abc import Callable, Iterable, Mapping
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


def _object_shape(cls: Any, fields: Iterable[ShapeField]) -> Shape:
    """The shape of a class of objects with attributes, which its constructor takes by name."""
    origin = typing.get_origin(cls) or cls
    return Shape(
        cls=cls,
        instance_type=origin,
        fields=tuple(fields),
        reading=FieldReading.ATTRIBUTE,
        construct=lambda values: origin(**values),
    )


def dataclass_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a dataclass; fields that its constructor does not take are left to it."""
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    for name, annotation in annotations.items():
        if isinstance(annotation, dataclasses.InitVar) and not hasattr(origin, name):
            raise AssemblyError(
                class_name=get_name(cls),
                field=name,
                problem="the constructor demands it and instances do not keep it",
                remedy="Give the InitVar a default.",
            )
    fields = (
        ShapeField(
            name=field.name,
            annotation=annotations[field.name],
            keyword=field.name,
            required=field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING,
            computed=not field.init,
        )
        for field in dataclasses.fields(origin)
    )
    return _object_shape(cls, fields)


def named_tuple_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a `NamedTuple`; the fields of an untyped one are of type `Any`."""
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    fields = (
        ShapeField(
            name=name,
            annotation=annotations.get(name, Any),
            keyword=name,
            required=name not in origin._field_defaults,
        )
        for name in origin._fields
    )
    return _object_shape(cls, fields)


def typed_dict_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a `TypedDict`."""
    origin = typing.get_origin(cls) or cls
    return Shape(
        cls=cls,
        instance_type=dict,
        fields=tuple(
            ShapeField(
                name=name,
                annotation=annotation,
                keyword=name,
                required=name in origin.__required_keys__,
                may_be_left_out=not describe(annotation).nullable,
            )
            for name, annotation in field_annotations(cls, namespace).items()
        ),
        reading=FieldReading.KEY,
        construct=dict,
        takes_extras=True,
    )


_construct: Callable[..., BaseModel] = vars(BaseModel)["model_construct"].__func__
"""Of pydantic itself: overrides, as vendors have, walk through everything inside once more."""


def pydantic_shape(cls: type[BaseModel], namespace: Mapping[str, Any]) -> Shape:
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


def msgspec_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a `msgspec.Struct`; `UNSET` stands for a field that a delta does not have."""
    msgspec = importlib.import_module("msgspec")
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    names = origin.__struct_fields__
    without_default = (msgspec.NODEFAULT,) * (len(names) - len(origin.__struct_defaults__))
    defaults = dict(zip(names, without_default + origin.__struct_defaults__, strict=True))
    fields = (
        ShapeField(
            name=name,
            annotation=annotations[name],
            keyword=name,
            required=default is msgspec.NODEFAULT,
            unset=msgspec.UNSET if default is msgspec.UNSET else None,
        )
        for name, default in defaults.items()
    )
    return _object_shape(cls, fields)


def attrs_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of an attrs class; fields that its constructor does not take are left to it."""
    nothing = importlib.import_module("attrs").NOTHING
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    fields = (
        ShapeField(
            name=attribute.name,
            annotation=annotations.get(attribute.name, attribute.type or Any),
            keyword=attribute.alias,
            required=attribute.default is nothing,
            computed=not attribute.init,
        )
        for attribute in origin.__attrs_attrs__
    )
    return _object_shape(cls, fields)


ReadShape = Callable[[Any, Mapping[str, Any]], Shape]


def is_record(cls: Any) -> bool:
    """True if `cls` is a class of objects with fields, and can be assembled."""
    return _reader(typing.get_origin(cls) or cls) is not None


def get_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a record class."""
    reader = _reader(typing.get_origin(cls) or cls)
    assert reader is not None, f"{cls} is not a record"
    return reader(cls, namespace)


def _reader(cls: Any) -> ReadShape | None:
    if not isinstance(cls, type):
        return None
    if issubclass(cls, BaseModel):
        return pydantic_shape if cls is not BaseModel else None
    if typing.is_typeddict(cls):
        return typed_dict_shape
    readers: Mapping[str, ReadShape] = {
        "__struct_fields__": msgspec_shape,
        "__attrs_attrs__": attrs_shape,
        "__dataclass_fields__": dataclass_shape,
        "_fields": named_tuple_shape,
    }
    return next((read for sign, read in readers.items() if hasattr(cls, sign)), None)
