"""Types of answers: what a model is told of one, and how its JSON becomes a value of it.

A schema whose root is not an object, such as that of a list, is put into an object with the one
property `answer`: several vendors hold a model to a schema only if its root is an object.
"""

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
    PydanticUserError,
)
from pydantic_core import from_json

from arc_core.output_unions import UnionMembers

__all__ = ["OutputType", "flaw_of_type", "name_of_type"]

_WRAPPER = "answer"
_MAX_NAME_CHARS = 100
_REMEDY = "use what JSON can say, such as a pydantic class, a dataclass, str, int, list[…]"
_UNKNOWN = f"it is not a type that pydantic knows, or something inside of it is not; {_REMEDY}"
_NOT_IN_JSON = f"JSON has no values of this kind; {_REMEDY}"
_NOT_DEFINED = "it refers to a class that is not defined; define it before the type is used"
_TOO_DEEP = "it is nested too deeply, or refers to itself without end"


@dataclass(frozen=True, slots=True, eq=False)
class OutputType:
    """A type of answers.

    Attributes:
        adapter: Validates JSON into values of the type.
        schema: The JSON Schema of its values, with the tags that tell members of a union apart.
        request_schema: What a chat model is given: the pydantic class itself, if it describes an
            object, else a JSON Schema whose root is an object.
        is_wrapped: Whether the answer is asked for inside an object.
        union: The objects that are told apart by a tag, if the type is a union of such.
    """

    adapter: TypeAdapter[Any]
    schema: Mapping[str, Any]
    request_schema: type[BaseModel] | Mapping[str, Any]
    is_wrapped: bool
    union: UnionMembers | None = None

    @classmethod
    def of(cls, declared: Any) -> "OutputType":
        """What there is to know of a type without a flaw; kept for types that can be keys."""
        try:
            hash(declared)
        except TypeError:  # the metadata of `Annotated` may be anything
            return _read(declared)
        return _read_once(declared)

    def unwrap(self, value: Any) -> Any:
        """What a model answered, without the object around it; one that left it out is right."""
        if self.is_wrapped and isinstance(value, dict) and value.keys() == {_WRAPPER}:
            return value[_WRAPPER]
        return value

    def validate(self, text: str | bytes, *, context: Any = None) -> Any:
        """Return the value of a JSON document without the object around it.

        Args:
            text: The document.
            context: What validators of the type find as `info.context`.

        Raises:
            ValidationError: It is not a value of the type.
            Exception: What a validator of the type raises.
        """
        if self.union is not None:
            value = from_json(text)
            if isinstance(value, dict):
                return self.union.validate(value, context)
        return self.adapter.validate_json(text, context=context)

    def place_of(self, path: tuple[int | str, ...]) -> str:
        """Where in its answer a model finds something; empty for all of it."""
        return ".".join(map(str, (_WRAPPER, *path) if self.is_wrapped else path))


def flaw_of_type(declared: Any) -> str | None:
    """Why no answer can be of a type, with its name, the field and what to do; None if one can."""
    if declared is BaseModel:
        return "BaseModel itself has no fields; name a class that inherits from it"
    if isinstance(declared, str) or inspect.isroutine(declared):
        return f"{name_of_type(declared)} is not a type"
    problem = _problem_of_schema(declared)
    if problem is None:
        return None
    return f"{name_of_type(declared)}{_place_in(declared)} has no JSON Schema: {problem}"


def _place_in(declared: Any) -> str:
    """Which field of a class has no JSON Schema either; empty if that is not known."""
    kinds: dict[str, Any] = {}
    if isinstance(declared, type) and issubclass(declared, BaseModel):
        kinds = {name: field.annotation for name, field in declared.model_fields.items()}
    elif dataclasses.is_dataclass(declared):
        kinds = {field.name: field.type for field in dataclasses.fields(declared)}
    for name, kind in kinds.items():
        if not isinstance(kind, str) and _problem_of_schema(kind) is not None:
            return f", field {name!r},"
    return ""


def _problem_of_schema(declared: Any) -> str | None:
    problem: str | None = None
    try:
        OutputType.of(declared)
    except RecursionError:
        problem = _TOO_DEEP
    except PydanticSchemaGenerationError:
        problem = _UNKNOWN
    except PydanticInvalidForJsonSchema:
        problem = _NOT_IN_JSON
    except PydanticUserError as error:
        return (
            _NOT_DEFINED if error.code == "class-not-fully-defined" else error.message.rstrip(".")
        )
    except (NameError, TypeError, ValueError) as error:
        problem = str(error)
    return problem


def name_of_type(declared: Any) -> str:
    """The name of a type, for messages."""
    name = declared.__qualname__ if isinstance(declared, type) else repr(declared)
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"


@lru_cache(maxsize=256, typed=True)
def _read_once(declared: Any) -> OutputType:
    return _read(declared)


def _read(declared: Any) -> OutputType:
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    schema = adapter.json_schema()
    if _is_object(schema):
        is_model = isinstance(declared, type) and issubclass(declared, BaseModel)
        request_schema = declared if is_model else schema
        return OutputType(adapter, schema, request_schema, is_wrapped=False)
    union = UnionMembers.of(declared, schema)
    schema = schema if union is None else dict(union.schema)
    return OutputType(adapter, schema, _wrap(schema), is_wrapped=True, union=union)


def _is_object(schema: Mapping[str, Any]) -> bool:
    """Whether the root of a schema is an object; that of a recursive class refers to it."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    root = schema.get("$defs", {}).get(name, schema)
    return bool(root.get("type") == "object")


def _wrap(schema: dict[str, Any]) -> Mapping[str, Any]:
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    wrapped = {
        "type": "object",
        "properties": {_WRAPPER: inner},
        "required": [_WRAPPER],
        "additionalProperties": False,
    }
    return {**wrapped, "$defs": schema["$defs"]} if "$defs" in schema else wrapped
