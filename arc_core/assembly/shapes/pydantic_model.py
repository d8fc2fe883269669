"""pydantic models.

An instance is built with `model_construct`: what arrived was validated when it arrived, and half a
message need not meet the constraints of a whole one.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from arc_core.assembly.annotations import name_of
from arc_core.assembly.errors import AssemblyError
from arc_core.assembly.shapes.shape import Reading, Shape, ShapeField

__all__ = ["pydantic_shape"]

_construct: Callable[..., BaseModel] = vars(BaseModel)["model_construct"].__func__
"""Of pydantic itself: overrides, as vendors have, walk through everything inside once more."""


def pydantic_shape(cls: type[BaseModel], namespace: Mapping[str, Any]) -> Shape:
    """The shape of a pydantic model.

    Raises:
        AssemblyError: A forward reference names nothing.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild(raise_errors=False, _types_namespace=namespace)
    if not cls.__pydantic_complete__:
        raise AssemblyError(
            class_name=name_of(cls),
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
        reading=Reading.MODEL,
        construct=construct,
        takes_extras=cls.model_config.get("extra") == "allow",
    )
