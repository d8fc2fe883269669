"""Puts an answer together, in English or Korean."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arc_core import Tool, ToolCall, ToolResult

__all__ = ["Exchange", "answer_text"]

_MAX_RESULT_CHARS = 2_000
_MAX_ARGUMENTS_CHARS = 100


@dataclass(frozen=True, slots=True)
class Exchange:
    """A tool call that was answered."""

    call: ToolCall
    result: ToolResult

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The call's arguments; none where another model wrote no JSON object."""
        value = _parsed(self.call.arguments)
        return value if isinstance(value, dict) else {}

    @property
    def value(self) -> Any:
        """The result, parsed where it is JSON."""
        return _parsed(self.result.content)


def _parsed(text: str) -> Any:
    """A JSON document's value, or the text where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What the model says about itself.

    Attributes:
        results: Behind the results of tools.
        no_match: Where no tool fits; `{tools}` are the names on offer.
        no_tools: Where there is no tool.
        remedy: How to get a language model.
    """

    results: str
    no_match: str
    no_tools: str
    remedy: str


_ENGLISH = _Phrases(
    results=(
        "I am Arc's offline model, not a language model: I matched your question with tools "
        "and put their results together."
    ),
    no_match=(
        "I am Arc's offline model, not a language model: I can only call tools, and your question "
        "names none of those on offer ({tools}), or too little to call it."
    ),
    no_tools=(
        "I am Arc's offline model, not a language model: I can only call tools, and there are "
        "none on offer."
    ),
    remedy="Set OPENAI_API_KEY or ANTHROPIC_API_KEY to ask a language model.",
)
_KOREAN = _Phrases(
    results=(
        "저는 Arc의 오프라인 모델이며 언어 모델이 아닙니다. 질문에 맞는 도구를 찾아 실행하고 "
        "그 결과를 모았습니다."
    ),
    no_match=(
        "저는 Arc의 오프라인 모델이며 언어 모델이 아닙니다. 도구만 부를 수 있는데, 사용할 수 있는 "
        "도구({tools}) 중에 질문에 맞는 것이 없거나 질문에 필요한 값이 없습니다."
    ),
    no_tools=(
        "저는 Arc의 오프라인 모델이며 언어 모델이 아닙니다. 도구만 부를 수 있는데, 사용할 수 있는 "
        "도구가 없습니다."
    ),
    remedy="언어 모델에게 물으려면 OPENAI_API_KEY 또는 ANTHROPIC_API_KEY를 설정하세요.",
)


def answer_text(exchanges: Sequence[Exchange], *, tools: Sequence[Tool], in_korean: bool) -> str:
    """The results, a line for each call, and what this model is; without results, why.

    Args:
        exchanges: The calls of this run with their results, in call order.
        tools: On offer.
        in_korean: Instead of English.
    """
    phrases = _KOREAN if in_korean else _ENGLISH
    if exchanges:
        lines = [f"- {_described(exchange)}" for exchange in exchanges]
        return "\n".join([*lines, "", phrases.results])
    if tools:
        names = ", ".join(tool.name for tool in tools)
        return f"{phrases.no_match.format(tools=names)} {phrases.remedy}"
    return f"{phrases.no_tools} {phrases.remedy}"


def _described(exchange: Exchange) -> str:
    content = _readable(exchange.value, exchange.result.content.strip())
    arguments = _clipped(", ".join(map(_text, exchange.arguments.values())), _MAX_ARGUMENTS_CHARS)
    return f"{exchange.call.name}({arguments}): {_clipped(content, _MAX_RESULT_CHARS)}"


def _readable(value: Any, content: str) -> str:
    """A JSON object as `name: value` pairs, anything else as it is."""
    if not isinstance(value, dict):
        return content or "-"
    return ", ".join(f"{name}: {_text(field)}" for name, field in value.items())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _clipped(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[:max_chars]}…"
