"""What the offline model says next."""

import json

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Message,
    ResponseFormat,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.retrieved_context import put_before
from arc_plugins.models.offline.reply import reply_to
from tests.arc_plugins.models.offline.sample_tools import add, calculate, current_time

BOTH = (current_time, calculate)
QUESTION = UserMessage("What time is it in Seoul, and what is 12.5% of 2480?")


def answered(message: AssistantMessage, content: str, outcome: ToolOutcome) -> list[Message]:
    """The conversation after all calls of a message came to the same."""
    results = [ToolResult(call.id, call.name, content, outcome) for call in message.tool_calls]
    return [QUESTION, message, ToolResultMessage(tuple(results))]


def test_both_tools_are_called_in_one_turn() -> None:
    """The question of the first demo."""
    reply = reply_to(ChatRequest(messages=(QUESTION,), tools=BOTH))

    assert [(call.name, json.loads(call.arguments)) for call in reply.tool_calls] == [
        ("current_time", {"place": "Seoul"}),
        ("calculate", {"expression": "12.5% of 2480"}),
    ]
    assert len({call.id for call in reply.tool_calls}) == 2


def test_documents_are_not_the_question() -> None:
    """What was retrieved for it calls no tool."""
    about_others = UserMessage(put_before("Hello", "What is 3 times 4?"))

    reply = reply_to(ChatRequest(messages=(about_others,), tools=BOTH))

    assert reply.tool_calls == ()


def test_results_are_answered() -> None:
    """The answer has what the tools gave."""
    calls = reply_to(ChatRequest(messages=(QUESTION,), tools=BOTH))

    conversation = answered(calls, "a result", ToolOutcome.SUCCESS)
    reply = reply_to(ChatRequest(messages=tuple(conversation), tools=BOTH))

    assert reply.tool_calls == ()
    assert reply.content.count("a result") == 2


def test_a_failed_call_is_not_tried_again() -> None:
    """Every conversation ends, whatever tools do."""
    calls = reply_to(ChatRequest(messages=(QUESTION,), tools=BOTH))

    conversation = answered(calls, "Error: Tool failed", ToolOutcome.FAILED)
    reply = reply_to(ChatRequest(messages=tuple(conversation), tools=BOTH))

    assert reply.tool_calls == ()


def test_a_new_question_may_call_again() -> None:
    """Results of an earlier question are history."""
    calls = reply_to(ChatRequest(messages=(QUESTION,), tools=BOTH))
    conversation = [
        *answered(calls, "a result", ToolOutcome.SUCCESS),
        AssistantMessage("answer"),
        UserMessage("And what is 2 + 2?"),
    ]

    reply = reply_to(ChatRequest(messages=tuple(conversation), tools=BOTH))

    assert [call.name for call in reply.tool_calls] == ["calculate"]
    assert {call.id for call in reply.tool_calls}.isdisjoint(call.id for call in calls.tool_calls)


def test_no_tool_is_called_where_none_may_be() -> None:
    """`tool_choice` none is obeyed though tools are in the request."""
    reply = reply_to(ChatRequest(messages=(QUESTION,), tools=BOTH, tool_choice="none"))

    assert reply.tool_calls == ()
    assert "not a language model" in reply.content


def test_the_number_of_calls_is_bounded() -> None:
    """A question full of arithmetic does not flood the tools."""
    prompt = UserMessage(" and ".join(f"{n} + {n}" for n in range(50)))

    reply = reply_to(ChatRequest(messages=(prompt,), tools=(calculate, add)))

    assert 1 < len(reply.tool_calls) <= 8


def test_it_answers_in_the_language_of_the_question() -> None:
    """A Korean question gets a Korean answer."""
    reply = reply_to(ChatRequest(messages=(UserMessage("안녕하세요"),), tools=BOTH))

    assert "언어 모델이 아닙니다" in reply.content


def test_a_conversation_without_a_question_is_answered() -> None:
    """Whatever the user sends, there is an answer."""
    replies = [
        reply_to(ChatRequest(messages=messages))
        for messages in ((), (SystemMessage("note"),), (AssistantMessage("hi"),))
    ]

    assert all(reply.content for reply in replies)


def test_a_result_without_a_call_is_ignored() -> None:
    """A conversation that lost a message does no harm."""
    lonely = ToolResultMessage((ToolResult("1", "calculate", "310"),))

    assert reply_to(ChatRequest(messages=(UserMessage("hi"), lonely))).content


class Total(BaseModel):
    """A structured answer."""

    calculate: float


def test_json_is_answered_by_json() -> None:
    """Tools are called first, then their results fill the schema."""
    call = ToolCall("1", "calculate", '{"expression": "2 + 2"}')
    exchange = (
        AssistantMessage("", tool_calls=(call,)),
        ToolResultMessage((ToolResult("1", "calculate", "4"),)),
    )
    request = ChatRequest(
        messages=(UserMessage("2 + 2"), *exchange),
        response_format=ResponseFormat.JSON,
        response_schema=Total,
    )

    assert json.loads(reply_to(request).content) == {"calculate": 4}
