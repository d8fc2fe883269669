"""Kinds of fields: how a value of each is written as JSON, and how it is read back."""

import binascii
import dataclasses
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum, StrEnum
from typing import Any, is_typeddict

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from arc_core.forms.json_text import Flaw, RepeatedKey, check_json, is_carried, is_json, show
from arc_core.output_types import OutputType

_RAW_TEXT = "raw_text"
_LIKE_TO_JSON = "write it as arc_core.forms.to_json does"
_JSON_NAMES = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "an array",
    dict: "an object",
    RepeatedKey: "an object",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """The functions that write and read one kind of value; both may raise a `Flaw`."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def describe(value: object) -> str:
    """Name the type of a JSON value, without what is in it."""
    return _JSON_NAMES.get(type(value), f"a {type(value).__name__}")


def many(kind: Kind) -> Kind:
    """A tuple of values of one kind, an array in JSON."""
    return Kind(
        write=lambda values: _each(kind.write, values, (tuple, list)),
        read=lambda values: tuple(_each(kind.read, values, (list,))),
    )


def optional(kind: Kind) -> Kind:
    """A value or None."""
    return Kind(
        write=lambda value: None if value is None else kind.write(value),
        read=lambda value: None if value is None else kind.read(value),
    )


def choice(enum: type[StrEnum]) -> Kind:
    """One of the values of an enum."""

    def read(value: Any) -> StrEnum:
        try:
            return enum(value)
        except ValueError:
            names = ", ".join(enum)
            raise Flaw(
                f"{show(value) if isinstance(value, str) else describe(value)} is not a value "
                f"of {enum.__name__}",
                remedy=f"use one of: {names}",
            ) from None

    return Kind(write=lambda value: read(value).value, read=read)


def _each(work: Callable[[Any], Any], values: Any, types: tuple[type, ...]) -> list[Any]:
    if type(values) not in types:
        raise misfit(values, "an array")
    done: list[Any] = []
    for place, value in enumerate(values):
        try:
            done.append(work(value))
        except Flaw as flaw:
            raise flaw.within(place) from flaw.__cause__
    return done


def misfit(value: object, wanted: str) -> Flaw:
    """The problem of a JSON value that is not what is wanted."""
    if isinstance(value, RepeatedKey):
        return Flaw(f"the key {show(value.key)} stands in it twice", remedy="remove one of them")
    return Flaw(f"it is {describe(value)}, not {wanted}", remedy=_LIKE_TO_JSON)


def _write_text(value: object) -> object:
    if not isinstance(value, str):
        raise misfit(value, "a text")
    if is_carried(value):
        return value
    return {"type": _RAW_TEXT, "utf8": _write_bytes(value.encode("utf-8", "surrogatepass"))}


def _read_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) is not dict or value.get("type") != _RAW_TEXT or set(value) != {"type", "utf8"}:
        raise misfit(value, "a text")
    try:
        return _read_bytes(value["utf8"]).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise Flaw("its bytes are not UTF-8", remedy=_LIKE_TO_JSON).within("utf8") from None


def _read_session_id(value: object) -> str:
    """A text, or a whole number, as the keys of databases are."""
    return str(value) if type(value) is int else _read_text(value)


def _write_bytes(value: object) -> str:
    if not isinstance(value, bytes):
        raise misfit(value, "bytes")
    return b64encode(value).decode()


def _read_bytes(value: object) -> bytes:
    if not isinstance(value, str):
        raise misfit(value, "bytes in base64")
    try:
        return binascii.a2b_base64(value, strict_mode=True) if value else b""
    except ValueError:
        raise Flaw("it is not base64, or is cut off", remedy=_LIKE_TO_JSON) from None


def _write_decimal(value: object) -> str:
    if not isinstance(value, Decimal) or not value.is_finite():
        raise misfit(value, "a finite decimal")
    return str(value)


def _read_decimal(value: object) -> Decimal:
    try:
        read = Decimal(value) if isinstance(value, str) else Decimal("NaN")
    except InvalidOperation:
        read = Decimal("NaN")
    if not read.is_finite():
        raise misfit(value, "a finite decimal in a text")
    return read


def _write_time(value: object) -> str:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise misfit(value, "a time with a time zone")
    return value.astimezone(UTC).isoformat()


def _read_time(value: object) -> datetime:
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise misfit(value, "a time with a time zone, as in 2026-11-22T07:00:00+00:00")
    return read


def _read_time_text(value: object) -> str:
    text = _read_text(value)
    return text and _read_time(text).isoformat()


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise misfit(value, "a number")
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise Flaw(f"{show(value)} is not a number of JSON", remedy="use a finite number")
    return value


def _only(cls: type, wanted: str) -> Kind:
    def check(value: object) -> object:
        if type(value) is not cls:
            raise misfit(value, wanted)
        return value

    return Kind(check, check)


def _json(value: object) -> object:
    check_json(value)
    return value


def _json_object(value: object) -> object:
    if type(value) is not dict:
        raise misfit(value, "an object")
    return _json(value)


def _write_answer(value: object) -> object:
    if is_json(value):
        return value
    try:
        plain = to_jsonable_python(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return plain if is_json(plain) else None


TEXT = Kind(_write_text, _read_text)
SESSION_ID = Kind(_write_text, _read_session_id)
DATA = Kind(_write_bytes, _read_bytes)
DECIMAL = Kind(_write_decimal, _read_decimal)
TIME = Kind(_write_time, _read_time)
TIME_TEXT = Kind(_write_text, _read_time_text)  # or an empty text
NUMBER = Kind(_number, _number)
INTEGER = _only(int, "an integer")
BOOLEAN = _only(bool, "a boolean")

JSON_OBJECT = Kind(_json_object, _json_object)
"""An object that the caller made; refused if JSON would change it."""

JSON_IF_CARRIED = Kind(lambda value: value if is_json(value) else None, _json)
"""Any value; left out if JSON would change it."""

METADATA_IF_CARRIED = Kind(
    lambda value: {name: item for name, item in value.items() if is_json({name: item})},
    _json_object,
)
"""A mapping, without the entries that JSON would change."""

ANSWER = Kind(_write_answer, _json)
"""A structured answer, as pydantic writes it; left out if pydantic cannot."""


def _write_schema(declared: Any) -> dict[str, Any]:
    written: dict[str, Any] = {"type": "json_schema"}
    if isinstance(declared, type):
        name = f"{declared.__module__}:{declared.__qualname__}"
        if _find_class(name) is declared:
            written = {"type": "class", "name": name}
    schema = declared if isinstance(declared, Mapping) else OutputType.of(declared).schema
    try:
        written["schema"] = JSON_OBJECT.write(schema)
    except Flaw as flaw:
        raise flaw.within("schema") from None
    return written


def _read_schema(value: Any) -> object:
    if type(value) is dict:
        match value:
            case {"type": "class", "name": name, "schema": schema, **rest} if not rest:
                written = JSON_OBJECT.read(schema)
                return _find_class(TEXT.read(name)) or written
            case {"type": "json_schema", "schema": schema, **rest} if not rest:
                return JSON_OBJECT.read(schema)
    raise Flaw(
        f"it is {describe(value)}, and neither a class with name and schema nor a json_schema "
        "with its schema",
        remedy="write it as arc_core.forms.to_json does",
    )


def _find_class(name: str) -> type | None:
    """The class of an import path, if its module has been imported; runs no code of the module."""
    module, _, path = name.partition(":")
    found: object = sys.modules.get(module)
    for step in path.split("."):
        found = vars(found).get(step) if hasattr(found, "__dict__") else None
    if not isinstance(found, type):
        return None
    # A class of any other kind may run its code.
    describes_data = issubclass(found, BaseModel | Enum) or dataclasses.is_dataclass(found)
    return found if describes_data or is_typeddict(found) else None


RESPONSE_SCHEMA = Kind(_write_schema, _read_schema)
"""A JSON Schema as it is, a class by its import path and with its JSON Schema.

Of a type that is not a class, such as a list of a class, the JSON Schema is written. A path is not
imported when it is read, since that would run what a text names: the class is taken if its module
is there, else its JSON Schema stands in.
"""
