"""Checks of what a model has written by JSON Schema: answers, and arguments for tools."""

import json
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
