"""Checks values against JSON Schemas that may come from anyone, without holding the event loop."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from arc_core.tools.json_schema import check_value, problems_at_once
from arc_core.tools.threads import NoThreadFreeError, compute_in_thread

_BUSY = "it cannot be checked against its schema now, too many checks have not ended; try again"


async def find_problems(value: Any, schema: Mapping[str, Any], *, root: str) -> list[str]:
    """Return the problems of a value under a schema: at most ten sentences, each with its place.

    A check with little work, as almost every check is, does not wait for anything; any other is
    done in a thread.

    Args:
        value: Made of what JSON can carry.
        schema: Without flaws.
        root: How the value itself is called where it is the place.
    """
    found = problems_at_once(value, schema, root=root)
    if found is not None:
        return found
    try:
        return await compute_in_thread(partial(check_value, value, schema, root=root))
    except NoThreadFreeError:
        return [f"{root}: {_BUSY}"]


MAX_VALUES = 50_000
_MARKS = (",", "[", "{")


def has_too_many_values(text: str, *, marks: tuple[str, ...] = _MARKS) -> bool:
    """Return True if a text may have more than `MAX_VALUES` values, by the marks between them.

    Marks inside of texts count too.
    """
    return len(text) > MAX_VALUES and sum(map(text.count, marks)) > MAX_VALUES
