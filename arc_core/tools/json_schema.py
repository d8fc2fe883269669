"""JSON Schemas: of which class, whether a mapping is one, and what in a value does not fit it.

The library that checks them is imported when something is checked: it takes longer to import than
all of Arc, and most agents, with tools made by `@tool`, never need it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel

from arc_core.tools.threads import NoThreadFreeError, compute_in_thread

_BUSY = "it cannot be checked against its schema now, too many checks have not ended; try again"
_TOO_DEEP = "it is nested too deeply, or refers to itself without end"


def get_json_schema(schema: type[BaseModel] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of a response schema, whichever form it was given in."""
    return schema if isinstance(schema, Mapping) else _schema_of_class(schema)


def find_flaw(schema: Mapping[str, Any]) -> str | None:
    """Find what keeps a mapping from being a JSON Schema, if anything.

    A clause that says where and what, as in `properties.age.type: 'strng' is not valid …`.
    """
    from arc_core.tools.json_schema_validation import find_flaw  # noqa: PLC0415 -- see above

    try:
        return find_flaw(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError) as error:
        return f"it is not made of what JSON can carry: {error}"
    except RecursionError:
        return _TOO_DEEP


def check_value(
    value: Any, schema: Mapping[str, Any], *, root: str, quotes: bool = True
) -> list[str]:
    """Find what in a value does not fit a schema: at most ten sentences, each with its place."""
    return _find_problems(value, schema, root=root, quotes=quotes) or []


async def find_problems(
    value: Any, schema: Mapping[str, Any], *, root: str, quotes: bool = True
) -> list[str]:
    """Return the problems of a value under a schema, as `check_value`, without holding the loop.

    A check with little work, as almost every check is, does not wait for anything; any other is
    done in a thread. What a person answers must not be quoted.
    """
    found = _find_problems(value, schema, root=root, at_once=True, quotes=quotes)
    if found is not None:
        return found
    try:
        return await compute_in_thread(
            partial(check_value, value, schema, root=root, quotes=quotes)
        )
    except NoThreadFreeError:
        return [f"{root}: {_BUSY}"]


def _find_problems(
    value: Any, schema: Mapping[str, Any], *, root: str, at_once: bool = False, quotes: bool = True
) -> list[str] | None:
    from arc_core.tools.json_schema_validation import problems  # noqa: PLC0415 -- see above

    try:
        return problems(value, json.dumps(schema), root=root, at_once=at_once, quotes=quotes)
    except BaseException as error:  # a library in Rust panics if Python's stack ends inside of it
        if not isinstance(error, RecursionError) and type(error).__name__ != "PanicException":
            raise
        return [f"{root}: {_TOO_DEEP}"]


def drop_unmatchable_patterns(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[str]]:
    """A schema without the patterns that cannot be matched in linear time, and these patterns.

    For a schema of others, whose owner checks it too; of any other schema such a pattern is a flaw.
    """
    from arc_core.tools.json_schema_validation import drop_unmatchable  # noqa: PLC0415 -- see above

    try:
        return drop_unmatchable(schema)
    except RecursionError:
        return schema, ()


@lru_cache(maxsize=256)
def _schema_of_class(cls: type[BaseModel]) -> Mapping[str, Any]:
    return cls.model_json_schema()
