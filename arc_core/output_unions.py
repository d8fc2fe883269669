"""Unions of objects, whose members a model tells apart by a tag that it writes first.

Pydantic takes the first member that fits, and one without required fields fits every object, so
that an invalid `Flight` would be read as a valid `NoFlightFound`. So each member is asked for with
the property `kind`, which has the member's name. A model that leaves it out is understood if the
fields say which member it means.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, LiteralString, Union, get_args, get_origin

from pydantic import TypeAdapter
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError, to_json

__all__ = ["UnionMembers"]

_TAG = "kind"
_UNKNOWN: LiteralString = "this is not one of {names}"
_MISSING: LiteralString = "it does not say which of {names} it is"


@dataclass(frozen=True, slots=True)
class _Member:
    adapter: TypeAdapter[Any]
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class UnionMembers:
    """The objects among the members of a union, by the name that their tag has.

    Attributes:
        tag: The property that says which of them an object is.
        members: By name.
        schema: The JSON Schema of the union, in which each of them has the tag.
    """

    tag: str
    members: Mapping[str, _Member]
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, declared: Any, schema: Mapping[str, Any]) -> "UnionMembers | None":
        """Return the members of a union that need a tag; None if there are none.

        There are none if fewer than two members are objects, or if these have a tag already: a
        field that is required in all and constant in each.

        Args:
            declared: The type.
            schema: Its JSON Schema.
        """
        kinds = get_args(declared) if get_origin(declared) in (Union, UnionType) else ()
        options: Sequence[Mapping[str, Any]] = schema.get("anyOf", ())
        if len(kinds) != len(options):
            return None
        resolved = [_resolve(option, schema) for option in options]
        objects = {place: each for place, each in enumerate(resolved) if "properties" in each}
        names = [_name_of(kinds[place]) for place in objects]
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
        """Return the member that an object of a JSON document is.

        Raises:
            ValidationError: It is none of them, or does not say which.
        """
        fields = {name: each for name, each in value.items() if name != self.tag}
        member = self._member_of(value, fields, context)
        return member.adapter.validate_json(to_json(fields), context=context)

    def _member_of(
        self, value: Mapping[str, Any], fields: Mapping[str, Any], context: Any
    ) -> _Member:
        if self.tag in value:
            name = value[self.tag]
            if isinstance(name, str) and name in self.members:
                return self.members[name]
            raise self._error(_UNKNOWN, name)
        known = {name: len(each.fields & fields.keys()) for name, each in self.members.items()}
        most = max(known.values())
        if fields and not most:
            raise self._error(_MISSING, None)
        likely = [self.members[name] for name, count in known.items() if count == most]
        if len(likely) == 1:
            return likely[0]
        fitting = [each for each in likely if _fits(each, fields, context)]
        if len(fitting) > 1:
            raise self._error(_MISSING, None)
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


def _resolve(option: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a member itself, also if the union only refers to it."""
    name = str(option.get("$ref", "")).removeprefix("#/$defs/")
    resolved: Mapping[str, Any] = schema.get("$defs", {}).get(name, option)
    if resolved.get("type") == "object" and "additionalProperties" not in resolved:
        return {"properties": {}, **resolved}  # as a class without fields has it
    return resolved


def _name_of(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind))


def _have_tag(members: Collection[Mapping[str, Any]]) -> bool:
    """Whether a field tells them apart without any help."""
    shared = set.intersection(*(set(each.get("required", ())) for each in members))
    for name in shared:
        values = [each["properties"][name].get("const") for each in members]
        if None not in values and len(set(map(repr, values))) == len(values):
            return True
    return False


def _with_tag(member: Mapping[str, Any], tag: str, name: str) -> Mapping[str, Any]:
    properties = {tag: {"const": name, "type": "string"}, **member["properties"]}
    return {**member, "properties": properties, "required": [tag, *member.get("required", ())]}
