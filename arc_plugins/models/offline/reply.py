"""What the offline model says next: tool calls first, then the answer."""

import json
from collections.abc import Sequence

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Message,
    ResponseFormat,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from arc_core.retrieved_context import question_in
from arc_plugins.models.offline.answer import Exchange, answer_text
from arc_plugins.models.offline.arguments import argument_sets
from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.structured_answer import json_answer
from arc_plugins.models.offline.tool_choice import tools_for

__all__ = ["reply_to"]

_MAX_CALLS = 8


def reply_to(request: ChatRequest) -> AssistantMessage:
    """The next message; tools are called in one turn only, so that every conversation ends."""
    text, later = _last_question(request.messages)
    question, exchanges = Question.read(text), _exchanges(later)
    if request.tool_choice == "auto" and not exchanges:
        calls = _calls(question, request)
        if calls:
            return AssistantMessage("", tool_calls=calls)
    answer = answer_text(exchanges, tools=request.tools, in_korean=question.is_korean)
    if request.response_format is not ResponseFormat.TEXT:
        schema = request.response_schema
        form = schema.model_json_schema() if isinstance(schema, type) else schema
        answer = json_answer(answer, schema=form, question=question, exchanges=exchanges)
    return AssistantMessage(answer)


def _last_question(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The last user message's text without documents, and the messages behind it."""
    for index, message in reversed(list(enumerate(messages))):
        if isinstance(message, UserMessage):
            return question_in(message.text), messages[index + 1 :]
    return "", messages


def _exchanges(messages: Sequence[Message]) -> list[Exchange]:
    asked = (message for message in messages if isinstance(message, AssistantMessage))
    answered = (message for message in messages if isinstance(message, ToolResultMessage))
    calls = (call for message in asked for call in message.tool_calls)
    results = (result for message in answered for result in message.results)
    return [Exchange(*pair) for pair in zip(calls, results, strict=False)]


def _calls(question: Question, request: ChatRequest) -> tuple[ToolCall, ...]:
    wanted = [
        (tool.name, json.dumps(arguments, ensure_ascii=False))
        for tool in tools_for(question, request.tools)
        for arguments in argument_sets(tool, question)
    ]
    turn = len(request.messages)
    return tuple(
        ToolCall(f"call_{turn}_{index}", *call) for index, call in enumerate(wanted[:_MAX_CALLS])
    )
