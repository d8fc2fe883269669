"""Puts an answer together, in English or Korean."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from arc_core import Tool, ToolCall, ToolResult

__all__ = ["Exchange", "answer_text"]

_MAX_RESULT_CHARS = 2_000
_MAX_ARGUMENTS_CHARS = 100
_PHRASES = tomllib.loads(
    files("arc_plugins.models.offline").joinpath("data/phrases.toml").read_text("utf-8")
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A tool call that was answered."""

    call: ToolCall
    result: ToolResult

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The call's arguments; none if another model did not write a JSON object."""
        value = _parse(self.call.arguments)
        return value if isinstance(value, dict) else {}

    @property
    def value(self) -> Any:
        """The result, parsed if it is JSON."""
        return _parse(self.result.text)


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def answer_text(exchanges: Sequence[Exchange], *, tools: Sequence[Tool], in_korean: bool) -> str:
    """The results, a line for each call, and what this model is; without results, why.

    Args:
        exchanges: The calls of this run with their results, in call order.
        tools: On offer.
        in_korean: Instead of English.
    """
    phrases = _PHRASES["korean" if in_korean else "english"]
    if exchanges:
        return "\n".join([*map(_line, exchanges), "", phrases["results"]])
    names = ", ".join(tool.name for tool in tools)
    reason = phrases["no_match" if tools else "no_tools"].format(tools=names)
    return f"{reason} {phrases['remedy']}"


def _line(exchange: Exchange) -> str:
    """The call and its result; of a JSON object `name: value` pairs, anything else as it is."""
    value, content = exchange.value, exchange.result.text.strip() or "-"
    if isinstance(value, dict):
        content = ", ".join(f"{name}: {_text(field)}" for name, field in value.items())
    arguments = _clip(", ".join(map(_text, exchange.arguments.values())), _MAX_ARGUMENTS_CHARS)
    return f"- {exchange.call.name}({arguments}): {_clip(content, _MAX_RESULT_CHARS)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _clip(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[:max_chars]}…"
