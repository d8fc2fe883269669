"""Checks values and schemas with jsonschema; the only module that imports it.

A schema is never fetched from elsewhere: what it refers to must be inside it.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY, Schema

__all__ = ["flaws", "problems"]

_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200


def problems(value: Any, schema: str, *, root: str) -> list[str]:
    """What in a value does not fit a schema, at most ten sentences.

    Args:
        value: Made of what JSON can carry.
        schema: JSON text, without flaws.
        root: How the value itself is called where it is the place.
    """
    errors = _validator(schema).iter_errors(value)
    return [_described(error, root=root) for error in islice(errors, _MAX_PROBLEMS)]


def flaws(schema: str) -> Iterator[str]:
    """What keeps JSON text from being a schema."""
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


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Validator:
    contents = json.loads(schema)
    names_draft = isinstance(contents.get("$schema"), str)
    cls = validator_for(contents, Draft202012Validator) if names_draft else Draft202012Validator
    return cls(contents, registry=EMPTY_REGISTRY)
