"""Validation of values by schemas, and of schemas."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import Draft202012Validator, validator_for
from jsonschema_specifications import REGISTRY as SPECIFICATIONS
from referencing import Resource, Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import (
    DRAFT202012,
    EMPTY_REGISTRY,
    Schema,
    SchemaRegistry,
    specification_with,
)

from arc_core.tools.json_schema_validation.keywords import PATTERN_FORMAT, bound
from arc_core.tools.json_schema_validation.patterns import TooMuchWorkError, bounded_work, spend

__all__ = ["flaws", "problems", "problems_at_once"]

_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_MAX_STEPS_OF_A_VALUE = 40_000
_MAX_STEPS_AT_ONCE = 1000  # at most 20 ms, on a busy machine
_MAX_SCHEMA_CHARS_AT_ONCE = 20_000  # a schema is read once, which is not counted
_MAX_STEPS_OF_A_SCHEMA = 400_000
_UNUSABLE = (ArithmeticError, AttributeError, LookupError, TypeError, Unresolvable, ValueError)
"""What jsonschema raises for a schema with flaws, and for numbers too large for it."""

_TOO_MUCH_WORK = "it takes too much work to check it against its schema; it is too large"


def problems(value: Any, schema: str, *, root: str) -> list[str]:
    """Find what in a value does not fit a schema, at most ten sentences.

    A value that cannot be checked is a problem too: it never passes unchecked.
    """
    try:
        return _problems(value, schema, root=root, steps=_MAX_STEPS_OF_A_VALUE)
    except TooMuchWorkError:
        return [f"{root}: {_TOO_MUCH_WORK}"]


def problems_at_once(value: Any, schema: str, *, root: str) -> list[str] | None:
    """As `problems`; None if the check would hold the event loop for long."""
    if len(schema) > _MAX_SCHEMA_CHARS_AT_ONCE:
        return None
    try:
        return _problems(value, schema, root=root, steps=_MAX_STEPS_AT_ONCE)
    except TooMuchWorkError:
        return None


def _problems(value: Any, schema: str, *, root: str, steps: int) -> list[str]:
    try:
        with bounded_work(steps):
            errors = _validator(schema).iter_errors(value)
            return [_describe(error, root=root) for error in islice(errors, _MAX_PROBLEMS)]
    except _UNUSABLE:
        return [f"{root}: its schema cannot be applied to it"]


def flaws(schema: str) -> Iterator[str]:
    """Find what keeps JSON text from being a schema, or from being one that can be checked."""
    found: list[str] = []
    try:
        with bounded_work(_MAX_STEPS_OF_A_SCHEMA):
            found.extend(islice(_flaws(schema), 1))
    except TooMuchWorkError:
        yield "schema: it takes too much work to check it; it is too large"
    yield from found


def _flaws(schema: str) -> Iterator[str]:
    if _mixes_patterns(schema):
        yield "unevaluatedProperties: it cannot be checked together with patternProperties"
        return
    contents, draft = _contents(schema), _find_draft(schema)
    flaw = best_match(_meta_validator(draft).iter_errors(contents))
    if flaw is not None:
        yield _describe(flaw, root="schema")
    else:
        yield from _dangling_references(contents, draft)


def _dangling_references(schema: Schema, draft: Any) -> Iterator[str]:
    root = _dialect(draft).create_resource(schema)
    resolver = _resolver(root)
    pending = [(root, resolver)]
    while pending:
        resource, resolver = pending.pop()
        spend(1)
        reference = isinstance(resource.contents, Mapping) and resource.contents.get("$ref")
        if isinstance(reference, str):
            try:
                resolver.lookup(reference)
            except (Unresolvable, TypeError):
                yield f"$ref: {reference!r} refers to nothing inside the schema"
        pending += [(sub, resolver.in_subresource(sub)) for sub in resource.subresources()]


def _describe(error: ValidationError, *, root: str) -> str:
    place = ".".join(map(str, error.absolute_path)) or root
    return f"{place[:_MAX_PLACE_CHARS]}: {error.message[:_MAX_PROBLEM_CHARS]}"


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Any:
    if _mixes_patterns(schema):
        raise ValueError("unevaluatedProperties with patternProperties")
    draft = _find_draft(schema)
    contents = _contents(schema)
    resolver = _resolver(_dialect(draft).create_resource(contents))
    return bound(draft)(contents, registry=EMPTY_REGISTRY, _resolver=resolver)


@lru_cache
def _meta_validator(draft: Any) -> Any:
    """Checks schemas of a draft; what it says of itself is known, and only its size is not."""
    registry: SchemaRegistry = EMPTY_REGISTRY.with_resources(
        (uri, _plain(SPECIFICATIONS[uri])) for uri in SPECIFICATIONS
    )
    contents = _contents(json.dumps(draft.META_SCHEMA))
    resolver = registry.crawl().resolver_with_root(_dialect(draft).create_resource(contents))
    return bound(draft)(contents, format_checker=PATTERN_FORMAT, _resolver=resolver)


def _plain(resource: Resource[Schema]) -> Resource[Schema]:
    contents = _contents(json.dumps(resource.contents))
    dialect = isinstance(resource.contents, Mapping) and resource.contents.get("$schema")
    return specification_with(str(dialect), default=DRAFT202012).create_resource(contents)


def _resolver(root: Resource[Schema]) -> Any:
    """Looks up what is inside the schema, and nothing else."""
    # Crawled once, and not again for each reference to an anchor.
    registry = EMPTY_REGISTRY.with_resource(root.id() or "", root).crawl()
    return registry.resolver(root.id() or "")


@lru_cache(maxsize=1024)
def _find_draft(schema: str) -> Any:
    """The draft that `$schema` names at the top."""
    dialect = json.loads(schema).get("$schema")
    named = {"$schema": dialect} if isinstance(dialect, str) else {}
    return validator_for(named, Draft202012Validator)


def _dialect(draft: Any) -> Specification[Schema]:
    return specification_with(draft.ID_OF(draft.META_SCHEMA) or "", default=DRAFT202012)


def _contents(schema: str) -> Any:
    return json.loads(schema, object_hook=_without_dialect)


def _without_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    """One draft for all: jsonschema leaves its validator for another if a part names one."""
    if isinstance(schema.get("$schema"), str):
        del schema["$schema"]
    return schema


def _mixes_patterns(schema: str) -> bool:
    # Together jsonschema itself matches the patterns, with an engine that backtracks.
    return '"unevaluatedProperties"' in schema and '"patternProperties"' in schema
