"""Types of answers: what a model is told of one, and how its JSON becomes a value of it.

A schema whose root is not an object, such as that of a list, is put into an object with the one
property `answer`: several vendors hold a model to a schema only if its root is an object.

Pydantic takes the first member of a union that fits, and one without required fields fits every
object, so that an invalid `Flight` would be read as a valid `NoFlightFound`. So each member is
asked for with the property `kind`, which has the member's name. A model that leaves it out is
understood if the fields say which member it means.
"""

import dataclasses
import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Any, LiteralString, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
    PydanticUserError,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError, from_json, to_json

_WRAPPER = "answer"
_MAX_NAME_CHARS = 100
_REMEDY = "use what JSON can say, such as a pydantic class, a dataclass, str, int, list[…]"
_UNKNOWN = f"it is not a type that pydantic knows, or something inside of it is not; {_REMEDY}"
_NOT_IN_JSON = f"JSON has no values of this kind; {_REMEDY}"
_NOT_DEFINED = "it refers to a class that is not defined; define it before the type is used"
_TOO_DEEP = "it is nested too deeply, or refers to itself without end"


_TAG = "kind"
_UNKNOWN_MEMBER: LiteralString = "this is not one of {names}"
_MISSING_TAG: LiteralString = "it does not say which of {names} it is"


@dataclass(frozen=True, slots=True)
class _Member:
    adapter: TypeAdapter[Any]
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class UnionMembers:
    """The objects among the members of a union, by their tags, which its schema has, too."""

    tag: str
    members: Mapping[str, _Member]
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, declared: Any, schema: Mapping[str, Any]) -> "UnionMembers | None":
        """Return the members of a union that need a tag; None if there are none.

        There are none if fewer than two members are objects, or if these have a tag already: a
        field that is required in all and constant in each.
        """
        kinds = get_args(declared) if get_origin(declared) in (Union, UnionType) else ()
        options: Sequence[Mapping[str, Any]] = schema.get("anyOf", ())
        if len(kinds) != len(options):
            return None
        resolved = [_resolve_option(option, schema) for option in options]
        objects = {place: each for place, each in enumerate(resolved) if "properties" in each}
        names = [str(getattr(kinds[place], "__name__", kinds[place])) for place in objects]
        if len(objects) < 2 or len(set(names)) < len(names) or _have_tag(objects.values()):
            return None
        tag = _TAG
        while any(tag in each["properties"] for each in objects.values()):
            tag += "_"
        members = {
            name: _Member(TypeAdapter(kinds[place]), frozenset(each["properties"]))
            for name, (place, each) in zip(names, objects.items(), strict=True)
        }
        named = dict(zip(objects, names, strict=True))
        tagged = [
            _with_tag(resolved[place], tag, named[place]) if place in named else option
            for place, option in enumerate(options)
        ]
        return cls(tag, members, {**schema, "anyOf": tagged})

    def validate(self, value: Mapping[str, Any], context: Any) -> Any:
        """Return the member that an object of a JSON document is; raises a `ValidationError`."""
        fields = {name: each for name, each in value.items() if name != self.tag}
        member = self._find_member(value, fields, context)
        return member.adapter.validate_json(to_json(fields), context=context)

    def _find_member(
        self, value: Mapping[str, Any], fields: Mapping[str, Any], context: Any
    ) -> _Member:
        if self.tag in value:
            name = value[self.tag]
            if isinstance(name, str) and name in self.members:
                return self.members[name]
            raise self._error(_UNKNOWN_MEMBER, name)
        known = {name: len(each.fields & fields.keys()) for name, each in self.members.items()}
        most = max(known.values())
        if fields and not most:
            raise self._error(_MISSING_TAG, None)
        likely = [self.members[name] for name, count in known.items() if count == most]
        if len(likely) == 1:
            return likely[0]
        fitting = [each for each in likely if _fits(each, fields, context)]
        if len(fitting) > 1:
            raise self._error(_MISSING_TAG, None)
        return (fitting or likely)[0]

    def _error(self, message: LiteralString, found: object) -> ValidationError:
        names = {"names": ", ".join(self.members)}
        problem = PydanticCustomError("union_member", message, names)
        details = InitErrorDetails(type=problem, loc=(self.tag,), input=found)
        return ValidationError.from_exception_data("union", [details])


def _fits(member: _Member, fields: Mapping[str, Any], context: Any) -> bool:
    try:
        member.adapter.validate_json(to_json(fields), context=context)
    except ValidationError:
        return False
    return True


def _resolve_option(option: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a member itself, also if the union only refers to it."""
    name = str(option.get("$ref", "")).removeprefix("#/$defs/")
    resolved: Mapping[str, Any] = schema.get("$defs", {}).get(name, option)
    if resolved.get("type") == "object" and "additionalProperties" not in resolved:
        return {"properties": {}, **resolved}  # as a class without fields has it
    return resolved


def _have_tag(members: Collection[Mapping[str, Any]]) -> bool:
    """Return if a field tells them apart without any help."""
    shared = set.intersection(*(set(each.get("required", ())) for each in members))
    for name in shared:
        values = [each["properties"][name].get("const") for each in members]
        if None not in values and len(set(map(repr, values))) == len(values):
            return True
    return False


def _with_tag(member: Mapping[str, Any], tag: str, name: str) -> Mapping[str, Any]:
    properties = {tag: {"const": name, "type": "string"}, **member["properties"]}
    return {**member, "properties": properties, "required": [tag, *member.get("required", ())]}


@dataclass(frozen=True, slots=True, eq=False)
class OutputType:
    """A type of answers, with the JSON Schema of its values.

    A chat model is given the `request_schema`: the pydantic class itself, if it describes an
    object, else a JSON Schema whose root is an object, in which the answer may be wrapped.
    """

    adapter: TypeAdapter[Any]
    schema: Mapping[str, Any]
    request_schema: type[BaseModel] | Mapping[str, Any]
    is_wrapped: bool
    union: UnionMembers | None = None

    @classmethod
    def of(cls, declared: Any) -> "OutputType":
        """Return the description of a type that can be used; kept for types that can be keys."""
        try:
            hash(declared)
        except TypeError:  # the metadata of `Annotated` may be anything
            return _read(declared)
        return _read_once(declared)

    def unwrap(self, value: Any) -> Any:
        """Return an answer without the object around it; a model may leave that out."""
        if self.is_wrapped and isinstance(value, dict) and value.keys() == {_WRAPPER}:
            return value[_WRAPPER]
        return value

    def validate(self, text: str | bytes, *, context: Any = None) -> Any:
        """Return the value of a JSON document without the object around it.

        Raises a `ValidationError`, or what a validator of the type raises; such find the `context`
        as `info.context`.
        """
        if self.union is not None:
            value = from_json(text)
            if isinstance(value, dict):
                return self.union.validate(value, context)
        return self.adapter.validate_json(text, context=context)

    def get_place(self, path: tuple[int | str, ...]) -> str:
        """Return the path in an answer at which a model finds something; empty for all of it."""
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
    """Return the field of a class that has no JSON Schema either; empty if that is not known."""
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
    """Return if the root of a schema is an object; that of a recursive class refers to it."""
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
