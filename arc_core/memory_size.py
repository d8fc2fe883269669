"""The memory that values take, for stores that keep so many bytes and no more."""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import lru_cache
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
        cls: type = type(each)
        size, parts = getsizeof(each), _find_lister(cls)(each)
        total += size
        room = max(0, _MOST_VALUES - len(seen) - len(ahead))
        ahead.extend(islice(parts, room))
        if len(parts) > room:
            others += len(parts) - room
            cut += size
    return total + others * ((total - cut) // len(seen))


@lru_cache(maxsize=1_024)
def _find_lister(cls: type) -> Callable[[Any], Collection[object]]:
    """Return what lists the parts of values of a class; to ask its bases takes long."""
    if issubclass(cls, str | bytes | bytearray | array | type):
        return lambda _: ()
    if issubclass(cls, Mapping):
        return _list_items
    if issubclass(cls, Sequence | Set):
        return lambda value: value
    if issubclass(cls, BaseModel):
        return lambda value: vars(value).values()
    names = [each.name for each in fields(cls)] if is_dataclass(cls) else []
    return lambda value: [getattr(value, name) for name in names]


def _list_items(value: Mapping[Any, Any]) -> Collection[object]:
    return (*value.keys(), *value.values()) if len(value) < _MOST_VALUES else value.values()
