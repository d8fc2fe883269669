"""The standard library's records: dataclasses, named tuples and typed dictionaries."""

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any

from arc_core.assembly.annotations import describe, field_annotations, name_of
from arc_core.assembly.errors import AssemblyError
from arc_core.assembly.shapes.shape import Reading, Shape, ShapeField

__all__ = ["dataclass_shape", "named_tuple_shape", "typed_dict_shape"]


def dataclass_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a dataclass; fields that its constructor does not take are left to it.

    Raises:
        AssemblyError: The constructor demands a value that instances do not keep.
    """
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    for name, annotation in annotations.items():
        if isinstance(annotation, dataclasses.InitVar) and not hasattr(origin, name):
            raise AssemblyError(
                class_name=name_of(cls),
                field=name,
                problem="the constructor demands it and instances do not keep it",
                remedy="Give the InitVar a default.",
            )
    return Shape(
        cls=cls,
        instance_type=origin,
        fields=tuple(
            ShapeField(
                name=field.name,
                annotation=annotations[field.name],
                keyword=field.name,
                required=field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING,
                computed=not field.init,
            )
            for field in dataclasses.fields(origin)
        ),
        reading=Reading.ATTRIBUTE,
        construct=lambda values: origin(**values),
    )


def named_tuple_shape(cls: Any, namespace: Mapping[str, Any]) -> Shape:
    """The shape of a `NamedTuple`; the fields of an untyped one are of type `Any`."""
    origin = typing.get_origin(cls) or cls
    annotations = field_annotations(cls, namespace)
    return Shape(
        cls=cls,
        instance_type=origin,
        fields=tuple(
            ShapeField(
                name=name,
                annotation=annotations.get(name, Any),
                keyword=name,
                required=name not in origin._field_defaults,
            )
            for name in origin._fields
        ),
        reading=Reading.ATTRIBUTE,
        construct=lambda values: origin(**values),
    )


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
        reading=Reading.KEY,
        construct=dict,
        takes_extras=True,
    )
