"""What the offline model says next."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
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
from arc_core.messages.retrieved_context import put_before
from arc_plugins.models.offline.reply import reply_to
from tests.arc_plugins.models.offline.sample_tools import add, calculate, current_time

BOTH = (current_time, calculate)
QUESTION = UserMessage("What time is it in Seoul, and what is 12.5% of 2480?")


def exchange(
    name: str, content: str, *, outcome: ToolOutcome = ToolOutcome.SUCCESS, **arguments: object
) -> tuple[ToolCall, ToolResult]:
    """A call of a tool and what it gave."""
    call = ToolCall("1", name, json.dumps(arguments, ensure_ascii=False))
    return call, ToolResult("1", name, content, outcome)


def conversation(
    *exchanges: tuple[ToolCall, ToolResult], question: str = "Hello"
) -> tuple[Message, ...]:
    """A question whose calls were answered."""
    calls = AssistantMessage("", tool_calls=tuple(call for call, _ in exchanges))
    results = ToolResultMessage(tuple(result for _, result in exchanges))
    return UserMessage(question), calls, results


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

    assert reply_to(ChatRequest(messages=(UserMessage("hi"), lonely))).text


class Report(BaseModel):
    """A structured answer."""

    place: str
    calculate: int
    degrees: float
    summary: str


def answered_as_json(schema: type[BaseModel] | Mapping[str, object] | None) -> Any:
    """The answer to a question that was called three tools for."""
    request = ChatRequest(
        messages=conversation(
            exchange("current_time", "noon", place="Seoul"),
            exchange("calculate", "310", expression="12.5% of 2480"),
            exchange("weather", '{"degrees": 21.5, "sky": "clear"}', city="Seoul"),
        ),
        response_format=ResponseFormat.JSON,
        response_schema=schema,
    )
    return json.loads(reply_to(request).text)


def test_without_a_schema_the_text_is_the_answer() -> None:
    """An object with one field."""
    answer = answered_as_json(None)

    assert list(answer) == ["answer"]
    assert "not a language model" in answer["answer"]


@pytest.mark.parametrize("schema", [Report, Report.model_json_schema()])
def test_a_model_is_satisfied(schema: type[BaseModel] | dict[str, Any]) -> None:
    """Fields are filled from results and arguments of their names, else with the answer's text."""
    report = Report.model_validate(answered_as_json(schema))

    assert (report.place, report.calculate, report.degrees) == ("Seoul", 310, 21.5)
    assert report.summary.startswith("- current_time(Seoul): noon")


def test_json_is_answered_by_json() -> None:
    """Tools are called first, as for an answer in text."""
    request = ChatRequest(
        messages=(QUESTION,),
        tools=BOTH,
        response_format=ResponseFormat.JSON,
        response_schema=Report,
    )

    assert len(reply_to(request).tool_calls) == 2


def test_each_result_has_a_line() -> None:
    """In call order, with the arguments that tell two calls of one tool apart."""
    messages = conversation(
        exchange("current_time", "noon", place="Seoul"),
        exchange("calculate", "310", expression="12.5% of 2480"),
    )

    lines = reply_to(ChatRequest(messages=messages)).text.splitlines()

    assert lines[:2] == ["- current_time(Seoul): noon", "- calculate(12.5% of 2480): 310"]


@pytest.mark.parametrize(
    ("question", "notice"), [("Hello", "not a language model"), ("안녕", "언어 모델이 아닙니다")]
)
def test_it_says_what_it_is(question: str, notice: str) -> None:
    """With results, without a matching tool, and without any tool."""
    answers = [
        reply_to(ChatRequest(messages=messages, tools=tools)).content
        for messages, tools in (
            (conversation(exchange("tool", "result"), question=question), ()),
            ((UserMessage(question),), (calculate,)),
            ((UserMessage(question),), ()),
        )
    ]

    assert all(notice in answer for answer in answers)
    assert len(set(answers)) == 3


def test_without_a_match_it_says_what_there_is() -> None:
    """The tools on offer and the way to a language model are named."""
    answer = reply_to(ChatRequest(messages=(UserMessage("Hello"),), tools=BOTH)).content

    assert "current_time, calculate" in answer
    assert "OPENAI_API_KEY" in answer


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"degrees": 21, "sky": "clear", "wind": null}', "degrees: 21, sky: clear, wind: null"),
        ('["a", "b"]', '["a", "b"]'),
        (" text ", "text"),
        ("", "-"),
        ("310", "310"),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=["object", "list", "text", "empty", "number", "nested"],
)
def test_results_are_readable(content: str, line: str) -> None:
    """Objects become pairs, anything else stays as it is."""
    answer = reply_to(ChatRequest(messages=conversation(exchange("tool", content)))).text

    assert answer.splitlines()[0] == f"- tool(): {line}"


def test_a_failed_call_is_reported() -> None:
    """What went wrong is part of the answer."""
    failed = exchange("tool", "Error: Tool 'tool' failed", outcome=ToolOutcome.FAILED, n=1)

    answer = reply_to(ChatRequest(messages=conversation(failed))).text

    assert "- tool(1): Error: Tool 'tool' failed" in answer


@pytest.mark.parametrize("arguments", ["", "no JSON", "[1]"])
def test_calls_of_another_model_do_no_harm(arguments: str) -> None:
    """A conversation may have been begun by a model that writes no JSON object."""
    foreign = (ToolCall("1", "tool", arguments), ToolResult("1", "tool", "result"))

    answer = reply_to(ChatRequest(messages=conversation(foreign))).text

    assert answer.startswith("- tool(): result")


@pytest.mark.parametrize(("choice", "called"), [("required", BOTH[0]), (BOTH[1].name, BOTH[1])])
def test_a_tool_that_is_demanded_is_called(choice: str, called: Any) -> None:
    """Whatever the question is."""
    reply = reply_to(
        ChatRequest(messages=(UserMessage("Good morning"),), tools=BOTH, tool_choice=choice)
    )

    assert [call.name for call in reply.tool_calls] == [called.name]
