"""The offline model's replies: tool calls first, then the answer, in English or Korean."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
from arc_plugins.models.offline.question import HANGUL, WORDS, Question, stem_words

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


_MAX_CALLS_OF_A_TOOL = 4
_NAME_WEIGHT = 3
_ENOUGH = 2
_USES = {use: stem_words(words) for use, words in WORDS["parameters"].items()}


def choose_tools(question: Question, tools: Sequence[Tool]) -> list[Tool]:
    """The tools that share enough words with the question, in the order they are offered.

    A word counts the less, the more tools have it. Enough is a word of the name, or two of the
    description; if no tool has enough, the best one with a word of its name will do.
    """
    weights = [
        dict.fromkeys(stem_words(tool.description), 1)
        | dict.fromkeys(stem_words(tool.name), _NAME_WEIGHT)
        for tool in tools
    ]
    frequency = Counter(word for words in weights for word in words)
    scores = [
        sum(words[word] / frequency[word] for word in question.words & words.keys())
        for words in weights
    ]
    chosen = [tool for tool, score in zip(tools, scores, strict=True) if score >= _ENOUGH]
    best = tools[scores.index(max(scores))] if tools else None
    is_named = best is not None and bool(stem_words(best.name) & question.words)
    return chosen or ([best] if best is not None and is_named else [])


def list_arguments(tool: Tool, question: Question) -> list[dict[str, Any]]:
    """The arguments of each call of a tool: one for each place or expression, if it takes one.

    There is none if the question lacks something that the tool requires.
    """
    own_words = stem_words(tool.name)
    known = {
        kind: [value for value in values if not frozenset() < stem_words(str(value)) <= own_words]
        for kind, values in question.found.items()
    }
    fields = _read_schema(tool.parameters)
    kinds = [_find_kind(*field) for field in fields.items()]
    asked = (kind for kind in ("expression", "place") if kinds.count(kind) == 1 and known[kind])
    single = next(asked, None)
    sets = [{**known, single: [one]} for one in known[single]] if single else [known]
    required = frozenset[str](tool.parameters.get("required", ()))
    filled = [
        _fill(fields, question, each, required=required) for each in sets[:_MAX_CALLS_OF_A_TOOL]
    ]
    return [arguments for arguments in filled if required <= arguments.keys()]


def _read_schema(root: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The fields of a tool; of one that may be null, or is defined elsewhere, what it is else."""
    fields: dict[str, Mapping[str, Any]] = {}
    for name, field in root.get("properties", {}).items():
        options = field.get("anyOf", ()) if isinstance(field, Mapping) else ()
        known = [each for each in (*options, field) if isinstance(each, Mapping)]
        found = next((each for each in known if each.get("type") != "null"), {})
        definition = str(found.get("$ref", "")).rpartition("/")[2]
        defined = root.get("$defs", {}).get(definition, found)
        fields[name] = defined if isinstance(defined, Mapping) else {}
    return fields


def _find_kind(name: str, field: Mapping[str, Any]) -> str:
    """The JSON type, or `choice`; of a text what it is for, `name` if that is unknown."""
    kind = "choice" if field.get("enum") else field.get("type", "string")
    if kind != "string":
        return str(kind)
    texts = map(stem_words, (name, str(field.get("description", ""))))
    return next((use for said in texts for use, words in _USES.items() if words & said), "name")


def _fill(
    fields: Mapping[str, Mapping[str, Any]],
    question: Question,
    known: Mapping[str, Sequence[Any]],
    *,
    required: Collection[str],
) -> dict[str, Any]:
    """The arguments that a question has; each of its values is used once."""
    arguments, left = dict[str, Any](), {kind: list(values) for kind, values in known.items()}
    for name, field in fields.items():
        kind, is_said = _find_kind(name, field), bool(stem_words(name) & question.words)
        found = left.get(kind, [])
        if kind == "choice":
            is_said = any(_is_chosen(each, question) for each in field["enum"])
            found = sorted(field["enum"], key=lambda each: not _is_chosen(each, question))
        elif kind == "boolean":
            found = [is_said]
        elif kind == "text":
            found = [question.text]
        if found and (is_said or name in required or kind in {"expression", "place"}):
            arguments[name] = found[0]
            for values in left.values() if kind in left else ():
                if arguments[name] in values:
                    values.remove(arguments[name])
    return arguments


def _is_chosen(option: object, question: Question) -> bool:
    return not stem_words(str(option)).isdisjoint(question.words)
