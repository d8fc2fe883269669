"""Validation of values by schemas, and of schemas: counted, and with patterns in linear time."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import (
    Draft3Validator,
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft202012Validator,
    create,
    validator_for,
)
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

from arc_core.tools.json_schema_validation.patterns import (
    TooMuchWorkError,
    bounded_work,
    flaw_of_pattern,
    is_found,
    spend,
)

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
"""Takes a validator, the keyword's value, the instance and the schema."""

_create: Any = create  # its stub knows fewer parameters than it has

_ENTRIES_PER_STEP = 8
_CHARS_PER_STEP = 100
_NAMED = 3
_NAMED_CHARS = 60
_REFERENCE_HIDES_SIBLINGS = (Draft3Validator, Draft4Validator, Draft6Validator, Draft7Validator)

PATTERN_FORMAT = FormatChecker(formats=())
"""The formats that schemas of schemas check: those of patterns."""
_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 200
_MAX_STEPS_OF_A_VALUE = 40_000
_MAX_STEPS_AT_ONCE = 1000  # at most 20 ms, on a busy machine
_MAX_SCHEMA_CHARS_AT_ONCE = 20_000  # a schema is read once, which is not counted
_MAX_STEPS_OF_A_SCHEMA = 400_000
_UNUSABLE = (ArithmeticError, AttributeError, LookupError, TypeError, Unresolvable, ValueError)
"""The errors of jsonschema for a schema with flaws, and for numbers too large for it."""

_NAMES_KEYS = frozenset({"required", "additionalProperties"})
"""The keywords whose errors name properties, and never values."""

_TOO_MUCH_WORK = "it takes too much work to check it against its schema; it is too large"


def problems(
    value: Any, schema: str, *, root: str, at_once: bool = False, quotes: bool = True
) -> list[str] | None:
    """Find what in a value does not fit a schema, at most ten sentences.

    Args:
        value: Of JSON.
        schema: Its text.
        root: The name of the value itself.
        at_once: Whether to give up, with None, if the check would hold the event loop for long.
        quotes: Whether the sentences may quote the value.
    """
    describe = _describe if quotes else _describe_rule
    if at_once and len(schema) > _MAX_SCHEMA_CHARS_AT_ONCE:
        return None
    try:
        with bounded_work(_MAX_STEPS_AT_ONCE if at_once else _MAX_STEPS_OF_A_VALUE):
            errors = _validator(schema).iter_errors(value)
            return [describe(error, root=root) for error in islice(errors, _MAX_PROBLEMS)]
    except TooMuchWorkError:
        return None if at_once else [f"{root}: {_TOO_MUCH_WORK}"]
    except _UNUSABLE:
        return [f"{root}: its schema cannot be applied to it"]


def find_flaw(schema: str) -> str | None:
    """Find what keeps JSON text from being a schema, or from being one that can be checked."""
    try:
        with bounded_work(_MAX_STEPS_OF_A_SCHEMA):
            return next(_flaws(schema), None)
    except TooMuchWorkError:
        return "schema: it takes too much work to check it; it is too large"


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


def _describe_rule(error: ValidationError, *, root: str) -> str:
    """Describe what a value does not fit, without the value."""
    place = ".".join(map(str, error.absolute_path)) or root
    keyword: object = error.validator
    rule = json.dumps(error.validator_value, ensure_ascii=False, default=str)
    if keyword in _NAMES_KEYS:
        problem = error.message
    elif keyword == "type":
        problem = f"it is not of type {error.validator_value!r}"
    elif keyword == "enum":
        problem = f"it is not one of {rule}"
    else:  # a schema that is false has no keyword
        problem = (
            "it must not be there" if keyword is None else f"it does not fit {keyword}: {rule}"
        )
    return f"{place[:_MAX_PLACE_CHARS]}: {problem[:_MAX_PROBLEM_CHARS]}"


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Any:
    if _mixes_patterns(schema):
        raise ValueError("unevaluatedProperties with patternProperties")
    draft = _find_draft(schema)
    contents = _contents(schema)
    resolver = _resolver(_dialect(draft).create_resource(contents))
    return _bound(draft)(contents, registry=EMPTY_REGISTRY, _resolver=resolver)


@lru_cache
def _meta_validator(draft: Any) -> Any:
    """Checks schemas of a draft; what it says of itself is known, and only its size is not."""
    registry: SchemaRegistry = EMPTY_REGISTRY.with_resources(
        (uri, _plain(SPECIFICATIONS[uri])) for uri in SPECIFICATIONS
    )
    contents = _contents(json.dumps(draft.META_SCHEMA))
    resolver = registry.crawl().resolver_with_root(_dialect(draft).create_resource(contents))
    return _bound(draft)(contents, format_checker=PATTERN_FORMAT, _resolver=resolver)


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


@PATTERN_FORMAT.checks("regex", raises=ValueError)
def _is_pattern(value: object) -> bool:
    return not isinstance(value, str) or flaw_of_pattern(value) is None


@lru_cache
def _bound(draft: Any) -> Any:
    """The validator of a draft, with its work counted.

    It is made anew and not extended, because only so can a schema's own size be counted. It checks
    no subschema by another draft: `$schema` must have been removed everywhere.
    """
    keywords = {name: _count(name, keyword) for name, keyword in draft.VALIDATORS.items()}
    hides = draft in _REFERENCE_HIDES_SIBLINGS
    return _create(
        meta_schema=draft.META_SCHEMA,
        validators=keywords,
        type_checker=draft.TYPE_CHECKER,
        format_checker=PATTERN_FORMAT,
        id_of=draft.ID_OF,
        applicable_validators=_reference_or_all if hides else _all,
    )


def _all(schema: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    spend(1 + len(schema) // _ENTRIES_PER_STEP)
    return schema.items()


def _reference_or_all(schema: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    everything = _all(schema)
    return [("$ref", schema["$ref"])] if "$ref" in schema else everything


def _count(name: str, keyword: Keyword) -> Keyword:
    """The keyword, or what stands in for it, with its cost taken from the work that is left."""
    keyword = _INSTEAD.get(name, keyword)
    compares_all = name.startswith("unevaluated")

    def count_work(  # noqa: PLR0917 -- so jsonschema calls keywords
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[Any]:
        entries = len(instance) if isinstance(instance, list | dict) else 0
        spend(1 + (_size(value) + entries + compares_all * entries**2) // _ENTRIES_PER_STEP)
        for error in keyword(validator, value, instance, schema) or ():
            spend(len(error.message) // _CHARS_PER_STEP)
            yield error

    return count_work


def _size(value: Any) -> int:
    """Count the values that a keyword may compare an instance with: of `enum`, with their parts."""
    if not isinstance(value, list | dict):
        return 0
    if isinstance(value, dict):
        return len(value)
    return len(value) + sum(len(each) for each in value if isinstance(each, list | dict))


def _pattern(_: Any, pattern: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not is_found(pattern, instance):
        yield ValidationError(f"{_cut(instance)} does not match {_cut(pattern)}")


def _pattern_properties(
    validator: Any, subschemas: Any, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, subschema in subschemas.items():
            for key, value in instance.items():
                if is_found(pattern, key):
                    yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(  # noqa: PLR0917 -- as above
    validator: Any, subschema: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = (
        key
        for key in instance
        if key not in known and not any(is_found(pattern, key) for pattern in patterns)
    )
    if isinstance(subschema, dict):
        for key in extras:
            yield from validator.descend(instance[key], subschema, path=key)
    elif not subschema and (named := list(islice(extras, _NAMED + 1))):
        yield ValidationError(f"Additional properties are not allowed ({_name_unexpected(named)})")


def _name_unexpected(named: list[str]) -> str:
    names = ", ".join(map(_cut, named[:_NAMED]))
    if len(named) > _NAMED:
        return f"{names} and others were unexpected"
    return f"{names} {'was' if len(named) == 1 else 'were'} unexpected"


def _unique_items(_: Any, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        texts = [json.dumps(_canonical(each), sort_keys=True) for each in instance]
        if len(set(texts)) < len(texts):
            yield ValidationError("it has non-unique elements")


def _canonical(value: Any) -> Any:
    """Equal JSON becomes equal text: 1 and 1.0 are one number."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case str():
            spend(len(value) // _CHARS_PER_STEP)
        case list():
            spend(1 + len(value) // _ENTRIES_PER_STEP)
            return [_canonical(each) for each in value]
        case dict():
            spend(1 + len(value) // _ENTRIES_PER_STEP)
            return {key: _canonical(each) for key, each in value.items()}
    return value


def _cut(text: str) -> str:
    return repr(text[:_NAMED_CHARS] + "…" if len(text) > _NAMED_CHARS else text)


_INSTEAD: Mapping[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
