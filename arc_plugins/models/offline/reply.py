"""The offline model's replies: tool calls first, then the answer, in English or Korean."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Message,
    ResponseFormat,
    Tool,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.retrieved_context import question_in
from arc_core.tools.json_schema import get_json_schema
from arc_plugins.models.offline.question import HANGUL, WORDS, Question
from arc_plugins.models.offline.tool_use import choose_tools, list_arguments

_MAX_CALLS = 8
_Exchanges = Sequence[tuple[ToolCall, ToolResult]]


def reply_to(request: ChatRequest) -> AssistantMessage:
    """The next message; tools are called in one turn only, so that every conversation ends."""
    text, exchanges = _find_question(request.messages)
    may_call = request.tool_choice != "none" and not exchanges
    if may_call and (calls := _make_calls(Question(text), request)):
        return AssistantMessage("", tool_calls=calls)
    phrases = WORDS["answers"]["korean" if HANGUL.search(text) else "english"]
    answer = _answer(exchanges, request.tools, phrases)
    if request.response_format is not ResponseFormat.TEXT:
        answer = _answer_in_json(exchanges, request.response_schema, answer)
    return AssistantMessage(answer)


def _find_question(messages: Sequence[Message]) -> tuple[str, _Exchanges]:
    """The last question without documents, and the calls behind it with their results."""
    text, calls, results = "", list[ToolCall](), list[ToolResult]()
    for message in messages:
        match message:
            case UserMessage():
                text, calls, results = question_in(message.text), [], []
            case AssistantMessage(tool_calls=more):
                calls += more
            case ToolResultMessage(more_results):
                results += more_results
    return text, list(zip(calls, results, strict=False))


def _make_calls(question: Question, request: ChatRequest) -> tuple[ToolCall, ...]:
    demanded = [tool for tool in request.tools if tool.name == request.tool_choice]
    wanted = [
        (tool.name, json.dumps(arguments, ensure_ascii=False))
        for tool in demanded or choose_tools(question, request.tools)
        for arguments in list_arguments(tool, question)
    ]
    if not wanted and request.tool_choice != "auto":  # with what the tool says of its arguments
        wanted = [(tool.name, "{}") for tool in (demanded or request.tools)[:1]]
    turn = len(request.messages)
    return tuple(
        ToolCall(f"call_{turn}_{index}", *call) for index, call in enumerate(wanted[:_MAX_CALLS])
    )


def _answer(exchanges: _Exchanges, tools: Sequence[Tool], phrases: Mapping[str, str]) -> str:
    """The results, a line for each call, and what this model is; without results, why."""
    if exchanges:
        return "\n".join([*(_line(*exchange) for exchange in exchanges), "", phrases["results"]])
    names = ", ".join(tool.name for tool in tools)
    reason = phrases["no_match" if tools else "no_tools"].format(tools=names)
    return f"{reason} {phrases['remedy']}"


def _line(call: ToolCall, result: ToolResult) -> str:
    """The call and its result; of a JSON object `name: value` pairs, anything else as it is."""
    fields = _read_fields(result.text).items()
    content = ", ".join(f"{name}: {_text(field)}" for name, field in fields)
    arguments = ", ".join(map(_text, _read_fields(call.arguments).values()))
    return f"- {call.name}({arguments}): {content or result.text.strip() or '-'}"


def _answer_in_json(exchanges: _Exchanges, schema: Any, text: str) -> str:
    """A JSON object, which is YAML too: arguments and results by their names, else the text."""
    facts: dict[str, Any] = {}
    for call, result in exchanges:
        facts |= _read_fields(call.arguments) | _read_fields(result.text, otherwise=call.name)
    fields = get_json_schema(schema).get("properties", {}) if schema else {"answer": text}
    return json.dumps({name: facts.get(name, text) for name in fields}, ensure_ascii=False)


def _read_fields(text: str, *, otherwise: str = "") -> dict[str, Any]:
    """The fields of a JSON object; anything else is one of the name `otherwise`, or none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if isinstance(value, dict):
        return value
    return {otherwise: value} if otherwise else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
