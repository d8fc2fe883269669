"""JSON Schemas: of which class, whether a mapping is one, and what in a value does not fit it.

The one door to jsonschema. A schema is never fetched from elsewhere: what it refers to must be
inside it.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY, Schema

__all__ = ["flaw_of", "json_schema_of", "problems_of"]

_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_TOO_DEEP = "it is nested too deeply, or refers to itself without end"


def json_schema_of(schema: type[BaseModel] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of a response schema, whichever form it was given in."""
    return schema if isinstance(schema, Mapping) else _schema_of_class(schema)


def flaw_of(schema: type[BaseModel] | Mapping[str, Any]) -> str | None:
    """What keeps a class from having a JSON Schema, or a mapping from being one; None if nothing.

    A clause that says where and what, as in `properties.age.type: 'strng' is not valid …`.
    """
    try:
        if isinstance(schema, Mapping):
            return next(_flaws(json.dumps(schema, allow_nan=False)), None)
        return _flaw_of_class(schema)
    except (TypeError, ValueError) as error:
        return f"it is not made of what JSON can carry: {error}"
    except RecursionError:
        return _TOO_DEEP


def problems_of(value: Any, schema: Mapping[str, Any], *, root: str) -> list[str]:
    """What in a value does not fit a schema: at most ten sentences, each with its place.

    Args:
        value: Made of what JSON can carry.
        schema: Without flaws.
        root: How the value itself is called where it is the place.
    """
    try:
        errors = _validator(json.dumps(schema)).iter_errors(value)
        return [_described(error, root=root) for error in islice(errors, _MAX_PROBLEMS)]
    except RecursionError:
        return [f"{root}: {_TOO_DEEP}"]


@lru_cache(maxsize=256)
def _schema_of_class(cls: type[BaseModel]) -> Mapping[str, Any]:
    return cls.model_json_schema()


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Validator:
    contents = json.loads(schema)
    names_draft = isinstance(contents.get("$schema"), str)
    cls = validator_for(contents, Draft202012Validator) if names_draft else Draft202012Validator
    return cls(contents, registry=EMPTY_REGISTRY)


def _flaw_of_class(cls: type[BaseModel]) -> str | None:
    if cls is BaseModel:
        return "BaseModel itself has no fields; name a class that inherits from it"
    try:
        _schema_of_class(cls)
    except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
        return f"{cls.__name__} has no JSON Schema: {error.message}"
    return None


def _flaws(schema: str) -> Iterator[str]:
    validator = _validator(schema)
    cls = type(validator)
    meta_schema = cls(cls.META_SCHEMA, format_checker=cls.FORMAT_CHECKER)
    flaw = best_match(meta_schema.iter_errors(validator.schema))
    if flaw is not None:
        yield _described(flaw, root="schema")
    else:
        yield from _dangling_references(validator.schema)


def _dangling_references(schema: Schema) -> Iterator[str]:
    root: Resource[Schema] = Resource.from_contents(schema, DRAFT202012)
    pending = [(root, EMPTY_REGISTRY.resolver_with_root(root))]
    while pending:
        resource, resolver = pending.pop()
        reference = isinstance(resource.contents, Mapping) and resource.contents.get("$ref")
        if isinstance(reference, str):
            try:
                resolver.lookup(reference)
            except (Unresolvable, TypeError):
                yield f"$ref: {reference!r} refers to nothing inside the schema"
        pending += [(sub, resolver.in_subresource(sub)) for sub in resource.subresources()]


def _described(error: ValidationError, *, root: str) -> str:
    place = ".".join(map(str, error.absolute_path)) or root
    return f"{place[:_MAX_PLACE_CHARS]}: {error.message[:_MAX_PROBLEM_CHARS]}"
