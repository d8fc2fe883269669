"""Reads what a model has written as JSON, and checks it by JSON Schema: answers, and arguments."""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arc_core.errors import ToolArgumentsError
from arc_core.interfaces.optional import ParsesArguments
from arc_core.interfaces.tools.tool import Tool
from arc_core.tools.json_schema import find_problems

MAX_VALUES = 50_000
_MARKS = (",", "[", "{")


def has_too_many_values(text: str, *, marks: tuple[str, ...] = _MARKS) -> bool:
    """Return True if a text may have more than `MAX_VALUES` values, by the marks between them.

    Marks inside of texts count too.
    """
    return len(text) > MAX_VALUES and sum(map(text.count, marks)) > MAX_VALUES


# Reading them holds the event loop, so it must end within 50 ms.
_MAX_CHARS = 250_000

_Parse = Callable[[str], Mapping[str, Any]]
_PARSE = ParsesArguments.parse_arguments.__name__


def peek_arguments(text: str) -> Mapping[str, Any]:
    """The arguments before they are validated; empty if they are not an object, or too long."""
    if len(text) > _MAX_CHARS or has_too_many_values(text):
        return {}
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


async def find_argument_problems(tool: Tool, text: str) -> Sequence[str]:
    """Return the problems of arguments for a tool; none if all fit."""
    try:
        await parse_arguments(tool, text)
    except ToolArgumentsError as error:
        return tuple(error.problems)
    return ()


async def parse_arguments(tool: Tool, text: str) -> Mapping[str, Any]:
    """Arguments for `tool.call`; blank text is an object without fields.

    Null in the place of an argument that may be left out, and may not be null, is left out.

    Raises:
        ToolArgumentsError: They are not a JSON object, too long, or do not fit the tool's schema.
    """
    if len(text) > _MAX_CHARS:
        raise ToolArgumentsError([f"arguments: Input should have at most {_MAX_CHARS} characters"])
    if has_too_many_values(text):
        raise ToolArgumentsError([f"arguments: Input should have at most {MAX_VALUES} values"])
    parse: _Parse | None = getattr(tool, _PARSE, None)  # to ask a Protocol costs as much as a parse
    if parse is not None:
        return parse(text)
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise ToolArgumentsError(["arguments: Invalid JSON"]) from error
    if not isinstance(value, dict):
        raise ToolArgumentsError(["arguments: Input should be a JSON object"])
    schema = dict(tool.parameters)
    if problems := await find_problems(value, schema, root="arguments"):
        required = schema.get("required", ())
        given = {name: each for name, each in value.items() if each is not None or name in required}
        if len(given) == len(value) or await find_problems(given, schema, root="arguments"):
            raise ToolArgumentsError(problems)
        return given
    return value


class MalformedTextError(ValueError):
    """A text is not what it should be; the message says where and why, for the model to read."""


def parse_json(text: str) -> Any:
    """The value of a JSON document.

    Raises:
        MalformedTextError: It is none, has text before or behind, a key twice in one object, `NaN`,
            `Infinity`, or a number that no computer can hold.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise MalformedTextError(f"Invalid JSON at {place}: {error.msg}") from error
    except RecursionError as error:
        raise MalformedTextError("Invalid JSON: it is nested too deeply") from error
    except MalformedTextError:
        raise
    except ValueError as error:  # an integer of more digits than Python reads
        raise MalformedTextError("Invalid JSON: a number is too long") from error


def read_number(number: str) -> float:
    """The number a text stands for.

    Raises:
        MalformedTextError: It is too large to be told from infinity.
    """
    value = float(number)
    if math.isinf(value):
        raise MalformedTextError(f"The number {number[:40]} is too large")
    return value


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members.

    Raises:
        MalformedTextError: A key is there twice, and which of its values is meant is not known.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        [(repeated, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise MalformedTextError(f"The key {json.dumps(repeated[:200])} is there more than once")
    return members


def _refuse(constant: str) -> None:
    raise MalformedTextError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=build_object, parse_float=read_number, parse_constant=_refuse
)
