"""The memory that values take, for stores that keep so many bytes and no more."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from itertools import islice
from sys import getsizeof
from typing import Any

from pydantic import BaseModel

_MOST_VALUES = 5_000


def memory_size(value: object) -> int:
    """About how many bytes a value takes with all that is in it, each object counted once.

    Looks into collections, dataclasses and models of pydantic. After five thousand values the
    others are taken for as large as those were, so that it takes a few milliseconds at most.
    """
    ahead: list[object] = [value]
    seen: set[int] = set()
    total = others = cut = 0
    while ahead:
        each = ahead.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        size, parts = getsizeof(each), _parts(each)
        total += size
        room = max(0, _MOST_VALUES - len(seen) - len(ahead))
        ahead.extend(islice(parts, room))
        if len(parts) > room:
            others += len(parts) - room
            cut += size
    return total + others * ((total - cut) // len(seen))


def _parts(value: Any) -> Collection[object]:
    if isinstance(value, str | bytes | bytearray):
        return ()
    if isinstance(value, Mapping):
        return (*value.keys(), *value.values()) if len(value) < _MOST_VALUES else value.values()
    if isinstance(value, Sequence | Set):
        return value
    if isinstance(value, BaseModel):
        return vars(value).values()
    is_data = is_dataclass(value) and not isinstance(value, type)
    return [getattr(value, each.name) for each in fields(value)] if is_data else ()
