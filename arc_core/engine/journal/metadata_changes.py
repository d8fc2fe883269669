"""Changes of the metadata of a run: how they are found, and how they are made again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_COMPARABLE = frozenset((str, bytes, int, float, bool, set))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change; without any of the marks below, the value is put in the place of another one.

    Attributes:
        number: Its place among all changes of the run.
        path: Where it was made: a key of the metadata, and keys of the dictionaries below it.
        value: What stands there now; of a list that has grown, what was appended.
        counted_from: The number that stood there before, if a number was changed into another one.
        is_appended: Whether a list has grown.
        is_removed: Whether nothing stands there now.
    """

    number: int = 0
    path: tuple[str, ...]
    value: Any = None
    counted_from: float | None = None
    is_appended: bool = False
    is_removed: bool = False


def set_to(value: Any, path: tuple[str, ...]) -> Change:
    """The change that puts a value somewhere, whatever was there."""
    return Change(path=path, value=value)


def compare(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[Change]:
    """The changes that make one value of another.

    Args:
        before: A copy.
        after: A copy.
        path: Where they stand.
    """
    if _are_same(before, after):
        return
    if _is_plain_dict(before) and _is_plain_dict(after):
        for key in before.keys() - after.keys():
            yield Change(path=(*path, key), is_removed=True)
        for key, value in after.items():
            if key in before:
                yield from compare(before[key], value, (*path, key))
            else:
                yield set_to(value, (*path, key))
    elif _is_number(before) and _is_number(after):
        yield Change(path=path, value=after, counted_from=before)
    elif type(before) is list and type(after) is list and _are_same(after[: len(before)], before):
        yield Change(path=path, value=after[len(before) :], is_appended=True)
    else:
        yield set_to(after, path)


def apply_change(change: Change, values: Any) -> None:
    """Make a change.

    Args:
        change: To be made.
        values: The metadata, as a dictionary; what of the path is not there is made.
    """
    *above, key = change.path
    for name in above:
        inner = values.get(name)
        if type(inner) is not dict:
            inner = {}
            values.__setitem__(name, inner)
        values = inner
    if change.is_removed:
        values.pop(key, None)
        return
    here, value = values.get(key), make_copy(change.value)
    if change.is_appended and type(here) is list:
        here.extend(value)
    elif change.counted_from is None:
        values.__setitem__(key, value)
    else:
        values.__setitem__(key, _count(here, change.counted_from, value))


def _count(here: Any, counted_from: Any, value: Any) -> Any:
    """The number that comes of counting on from what stands there."""
    if _are_same(here, counted_from):
        return value  # and not the sum, which may be another one in its last digit
    if here is not None and not _is_number(here):
        return value
    return (here or 0) + (value - counted_from)


def make_copy(value: Any) -> Any:
    """A copy that does not change with the value; of other than plain containers, the value."""
    try:
        return _copy(value)
    except RecursionError:  # it contains itself
        return value


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    if type(value) is list:
        return [_copy(item) for item in value]
    if type(value) is tuple:
        return tuple(_copy(item) for item in value)
    return set(value) if type(value) is set else value


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return one.keys() == other.keys() and all(_are_same(one[key], other[key]) for key in one)
    if type(one) is list or type(one) is tuple:
        return len(one) == len(other) and all(map(_are_same, one, other))
    return type(one) in _COMPARABLE and bool(one == other)


def _is_plain_dict(value: Any) -> bool:
    return type(value) is dict and all(type(key) is str for key in value)


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float
