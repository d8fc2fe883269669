"""From the model's JSON to arguments that fit a tool's schema, or to what is wrong with them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arc_core.engine.answers.schema_checks import MAX_VALUES, find_problems, has_too_many_values
from arc_core.errors import ToolArgumentsError
from arc_core.interfaces.optional import ParsesArguments
from arc_core.interfaces.tools.tool import Tool

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
    if problems := await find_problems(value, dict(tool.parameters), root="arguments"):
        raise ToolArgumentsError(problems)
    return value
