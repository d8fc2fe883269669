"""Validators of jsonschema whose work is counted, and whose patterns are matched in linear time."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import (
    Draft3Validator,
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    create,
)

from arc_core.tools.json_schema_validation.patterns import flaw_of_pattern, is_found, spend

__all__ = ["PATTERN_FORMAT", "bound"]

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
"""Takes a validator, the keyword's value, the instance and the schema."""

_create: Any = create  # its stub knows fewer parameters than it has

_ENTRIES_PER_STEP = 8
_CHARS_PER_STEP = 100
_NAMED = 3
_NAMED_CHARS = 60
_REFERENCE_HIDES_SIBLINGS = (Draft3Validator, Draft4Validator, Draft6Validator, Draft7Validator)

PATTERN_FORMAT = FormatChecker(formats=())
"""What the schemas of schemas ask of a pattern."""


@PATTERN_FORMAT.checks("regex", raises=ValueError)
def _is_pattern(value: object) -> bool:
    return not isinstance(value, str) or flaw_of_pattern(value) is None


@lru_cache
def bound(draft: Any) -> Any:
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
    """Count the values that a keyword may compare an instance with: of `enum`, with their parts.

    Subschemas are counted when they are visited.
    """
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
