"""JSON of values of any size, made piece by piece and only as far as it is read.

Making it all at once, in C, would hold the event loop for as long as that takes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from types import GeneratorType
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

__all__ = ["json_beginning"]

_MAX_PARTS_AT_ONCE = 5000
_MAX_PARTS_OF_AN_OBJECT = 100_000  # its class says what its JSON is: it cannot be taken apart
_CHARS_PER_PART = 100
_MAX_DEPTH = 200
_BATCH = 500


def json_beginning(value: object, *, max_chars: int) -> tuple[str, bool]:
    """Compact JSON, and whether it is whole; else its first `max_chars` characters or some more.

    Raises:
        ValueError: It cannot become JSON, or an object in it has too many parts.
    """
    if _is_small(value, most=_MAX_PARTS_AT_ONCE):
        return to_json(value).decode(), True
    made, pieces = 0, []
    for piece in _pieces(value, within=(), max_chars=max_chars):
        pieces.append(piece)
        made += len(piece)
        if made > max_chars:
            return "".join(pieces), False
    return "".join(pieces), True


def _is_small(value: object, *, most: int) -> bool:
    """Whether a value has no more than so many parts, and is not made while it is read."""
    pending = [value]
    for part in pending:
        cls = type(part)
        if cls is str or cls is bytes:
            most -= len(part) // _CHARS_PER_PART  # type: ignore[arg-type]
        elif cls is not int and cls is not float and part is not None:
            if isinstance(part, GeneratorType):
                return False
            inner = _parts_of(part)
            if len(inner) > most - len(pending):
                return False
            pending.extend(inner)
        if len(pending) > most:
            return False
    return True


def _parts_of(value: object) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()] if len(value) < _MAX_PARTS_OF_AN_OBJECT else _TOO_MANY
    if isinstance(value, list | tuple | set | frozenset):
        return list(value) if len(value) < _MAX_PARTS_OF_AN_OBJECT else _TOO_MANY
    if isinstance(value, str | bytes | bytearray):
        return [None] * (len(value) // _CHARS_PER_PART)
    return _fields_of(value)


def _fields_of(value: object) -> list[Any]:
    if isinstance(value, BaseModel):
        return [*value.__dict__.values(), value.model_extra or {}]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name, None) for each in fields(value)]
    return []


_TOO_MANY: list[Any] = [None] * _MAX_PARTS_OF_AN_OBJECT


def _pieces(value: object, *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    """The pieces of a value in the objects and arrays of these identities."""
    if len(within) > _MAX_DEPTH or id(value) in within:
        raise ValueError("it is nested too deeply, or has itself in it")
    if isinstance(value, dict):
        yield from _object(value, within=(*within, id(value)), max_chars=max_chars)
    elif isinstance(value, list | tuple | set | frozenset | GeneratorType):
        yield from _array(value, within=(*within, id(value)), max_chars=max_chars)
    elif type(value) is str:
        # One character more than is read shows that it goes on.
        yield to_json(value[: max_chars + 1]).decode()
    elif _is_small(value, most=_MAX_PARTS_OF_AN_OBJECT):
        yield to_json(value).decode()
    else:
        raise ValueError("it has too many parts")


def _array(values: Iterable[Any], *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    size = 1 if isinstance(values, GeneratorType) else _BATCH
    left, sign = iter(values), "["
    while batch := list(islice(left, size)):
        if _is_small(batch, most=_MAX_PARTS_AT_ONCE):
            yield sign + to_json(batch).decode()[1:-1]
            sign = ","
            continue
        for value in batch:
            yield sign
            yield from _pieces(value, within=within, max_chars=max_chars)
            sign = ","
    yield "[]" if sign == "[" else "]"


def _object(values: dict[Any, Any], *, within: tuple[int, ...], max_chars: int) -> Iterator[str]:
    left, sign = iter(values.items()), "{"
    while batch := dict(islice(left, _BATCH)):
        if _is_small(batch, most=_MAX_PARTS_AT_ONCE):
            yield sign + to_json(batch).decode()[1:-1]
            sign = ","
            continue
        for key, value in batch.items():
            yield sign + to_json({_beginning(key, max_chars): None}).decode()[1:-5]
            yield from _pieces(value, within=within, max_chars=max_chars)
            sign = ","
    yield "{}" if sign == "{" else "}"


def _beginning(key: object, max_chars: int) -> object:
    return key[: max_chars + 1] if isinstance(key, str) else key
