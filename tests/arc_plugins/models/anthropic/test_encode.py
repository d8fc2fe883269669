"""Bodies of Messages requests."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Message,
    Reasoning,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_plugins.models.anthropic.encode import MessagesDialect, MessagesRequestEncoder
from tests.arc_plugins.models.exchanges import get_weather

HELLO = UserMessage("안녕")
NEWEST = MessagesDialect()
MARK = {"type": "ephemeral"}


class City(BaseModel):
    """An answer."""

    name: str = "Seoul"


def body_of(
    request: ChatRequest,
    *,
    stream: bool = False,
    encoder: MessagesRequestEncoder | None = None,
    dialect: MessagesDialect = NEWEST,
    max_tokens: int = 9,
) -> dict[str, Any]:
    """A body, as the vendor reads it."""
    encoded = (encoder or MessagesRequestEncoder(marks_cache=False)).encode(
        request, model="m", max_tokens=max_tokens, dialect=dialect, stream=stream
    )
    body: dict[str, Any] = json.loads(encoded)
    return body


def exchange(call_id: str, city: str) -> tuple[AssistantMessage, ToolResultMessage]:
    """A call and its result."""
    call = ToolCall(call_id, "get_weather", json.dumps({"city": city}))
    return AssistantMessage("", (call,)), ToolResultMessage((ToolResult(call_id, "f", city),))


def test_the_least_there_is() -> None:
    """The bound of the answer is demanded; nothing else is sent unasked."""
    assert body_of(ChatRequest(messages=(HELLO,))) == {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "안녕"}]}],
    }


def test_all_there_is() -> None:
    """System text apart, tools with closed choice, sampling only because it is set."""
    request = ChatRequest(
        system_prompt="Be brief.",
        messages=(SystemMessage("Be kind."), HELLO),
        tools=(get_weather,),
        tool_choice="none",
        temperature=0.5,
    )

    body = body_of(request, stream=True)

    assert body["system"] == "Be brief.\n\nBe kind."
    assert body["tools"] == [
        {
            "name": "get_weather",
            "description": "The weather of a city.",
            "input_schema": get_weather.parameters,
        }
    ]
    assert (body["tool_choice"], body["temperature"]) == ({"type": "none"}, 0.5)
    assert body["stream"] is True


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        ("get_weather", {"type": "tool", "name": "get_weather"}),
    ],
)
def test_a_demand_for_a_tool_call_is_a_choice(choice: str, sent: dict[str, Any]) -> None:
    """Of any tool, or of one; that calls come one by one stands beside it."""
    request = ChatRequest(messages=(HELLO,), tools=(get_weather,), tool_choice=choice)
    one_by_one = MessagesRequestEncoder(marks_cache=False, calls_in_parallel=False)

    assert body_of(request).get("tool_choice", {"type": "auto"}) == sent
    assert body_of(request, encoder=one_by_one)["tool_choice"] == {
        **sent,
        "disable_parallel_tool_use": True,
    }


def test_a_turn_that_has_to_call_a_tool_does_not_think() -> None:
    """The vendor takes one of the two."""
    request = ChatRequest(messages=(HELLO,), tools=(get_weather,), reasoning=ReasoningEffort.HIGH)

    assert "thinking" in body_of(request)
    assert "thinking" not in body_of(replace(request, tool_choice="required"))


def test_a_body_begins_with_what_stays_the_same() -> None:
    """In the order in which the vendor keeps it: tools, system prompt, messages."""
    request = ChatRequest(
        system_prompt="Be brief.", messages=(HELLO,), tools=(get_weather,), tool_choice="none"
    )

    fields = list(body_of(request))

    assert fields == ["model", "max_tokens", "tools", "system", "messages", "tool_choice"]


def test_tools_on_offer_need_no_choice() -> None:
    """The vendor's default is to let the model choose."""
    assert "tool_choice" not in body_of(ChatRequest(messages=(HELLO,), tools=(get_weather,)))


def test_history_with_tool_use_gets_definitions() -> None:
    """The API refuses it without; the model may not use them."""
    body = body_of(ChatRequest(messages=(HELLO, *exchange("a", "Seoul"), UserMessage("Thanks"))))

    assert body["tools"] == [
        {"name": "get_weather", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert body["tool_choice"] == {"type": "none"}


messages = st.lists(
    st.sampled_from(
        [
            UserMessage("u"),
            UserMessage(" "),
            AssistantMessage("a"),
            AssistantMessage(""),
            SystemMessage("s"),
            exchange("x", "Seoul"),
        ]
    ),
    min_size=1,
)


@given(messages)
def test_turns_alternate_and_a_user_begins(drawn: list[Message | tuple[Message, ...]]) -> None:
    """Whatever the history, also one whose oldest messages were dropped."""
    flat = [m for each in drawn for m in (each if isinstance(each, tuple) else (each,))]

    turns = body_of(ChatRequest(messages=tuple(flat)))["messages"]

    assert all(first["role"] != second["role"] for first, second in pairwise(turns))
    assert not turns or turns[0]["role"] == "user"
    assert all(turn["content"] for turn in turns)


def test_parallel_results_are_one_turn() -> None:
    """With what the user says next."""
    calls = (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))
    results = ToolResultMessage((ToolResult("a", "f", "1"), ToolResult("b", "g", "2")))
    request = ChatRequest(
        messages=(HELLO, AssistantMessage("", calls), results, UserMessage("And?"))
    )

    turns = body_of(request)["messages"]

    assert [block["type"] for block in turns[2]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
    ]
    assert [block.get("tool_use_id") for block in turns[2]["content"]] == ["a", "b", None]


@pytest.mark.parametrize("bad", ["", "x", "functions.f:0"])
def test_ids_are_acceptable_and_unique(bad: str) -> None:
    """Missing, repeated and foreign ids are replaced, on both sides alike."""
    request = ChatRequest(messages=(HELLO, *exchange("x", "Seoul"), *exchange(bad, "Busan")))

    turns = body_of(request)["messages"]

    blocks = [block for turn in turns for block in turn["content"]]
    made = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert made == [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert made[0] == "x"
    assert len(set(made)) == 2
    assert made[1].replace("_", "").isalnum()


def test_a_schema_is_sent_where_the_api_can_enforce_it() -> None:
    """Optional properties may stay optional; free-form schemas are left to the prompt."""
    named = ChatRequest(
        messages=(HELLO,), response_format=ResponseFormat.JSON, response_schema=City
    )
    free = ChatRequest(
        messages=(HELLO,), response_format=ResponseFormat.JSON, response_schema={"type": "object"}
    )

    assert body_of(named)["output_config"]["format"] == {
        "type": "json_schema",
        "schema": {
            "type": "object",
            "description": "An answer.",
            "properties": {"name": {"type": "string"}},
            "required": [],
            "additionalProperties": False,
        },
    }
    assert "output_config" not in body_of(free)


def test_kept_encodings_are_the_fresh_ones() -> None:
    """Whatever was encoded before, a request is encoded as if it were the first."""
    kept = MessagesRequestEncoder(marks_cache=False)
    first, second = exchange("x", "Seoul"), exchange("x", "Busan")
    history = [(HELLO, *first), (HELLO, *first, *second), (HELLO, *second), (HELLO, *first)]

    for each in history:
        request = ChatRequest(messages=each, tools=(get_weather,))
        assert body_of(request, encoder=kept) == body_of(request)


def test_an_effort_is_thought_with_as_the_model_sees_fit() -> None:
    """It stands with the schema; a temperature is refused beside it."""
    request = ChatRequest(
        messages=(HELLO,),
        reasoning=ReasoningEffort.HIGH,
        temperature=0.5,
        response_format=ResponseFormat.JSON,
        response_schema=City,
    )

    body = body_of(request)

    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"]["effort"] == "high"
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("effort", "max_tokens", "budget"),
    [("low", 4096, 1024), ("medium", 8000, 4000), ("high", 8000, 6000), ("high", 1025, 1024)],
)
def test_older_models_get_a_budget(effort: str, max_tokens: int, budget: int) -> None:
    """At least what the API demands, and less than the bound of the answer."""
    request = ChatRequest(messages=(HELLO,), reasoning=ReasoningEffort(effort))

    body = body_of(request, dialect=MessagesDialect(thinks_adaptively=False), max_tokens=max_tokens)

    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert "output_config" not in body


def test_there_is_no_budget_in_a_small_answer() -> None:
    """The API would refuse it; the temperature counts again."""
    request = ChatRequest(messages=(HELLO,), reasoning=ReasoningEffort.LOW, temperature=0.5)

    body = body_of(request, dialect=MessagesDialect(thinks_adaptively=False), max_tokens=1024)

    assert ("thinking" in body, body["temperature"]) == (False, 0.5)


def test_marks_stand_behind_what_stays() -> None:
    """Tools, system prompt and the last stable message, in its last block; nothing else."""
    request = ChatRequest(
        system_prompt="Be brief.",
        messages=(HELLO, *exchange("a", "Seoul"), HELLO),
        tools=(get_weather,),
        stable_messages=3,
    )

    body = body_of(request, encoder=MessagesRequestEncoder(marks_cache=True))

    assert body["tools"][-1]["cache_control"] == MARK
    assert body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    results, question = body["messages"][-1]["content"]
    assert (results["cache_control"], "cache_control" in question) == (MARK, False)
    assert json.dumps(body).count("cache_control") == 3


def test_thinking_is_not_marked() -> None:
    """The API refuses it: the mark stands before."""
    thinking = AssistantMessage("", (), (Reasoning("Hm.", "c2ln"),), {"anthropic": []})
    request = ChatRequest(messages=(HELLO, thinking, HELLO), stable_messages=2)

    body = body_of(request, encoder=MessagesRequestEncoder(marks_cache=True))

    assert body["messages"][0]["content"][0]["cache_control"] == MARK
    assert json.dumps(body).count("cache_control") == 1


def test_a_mark_changes_nothing_that_is_kept() -> None:
    """The next request has its mark elsewhere."""
    encoder = MessagesRequestEncoder(marks_cache=True)
    messages = (HELLO, AssistantMessage("Hi"), HELLO)

    body_of(ChatRequest(messages=messages, stable_messages=1), encoder=encoder)
    body = body_of(ChatRequest(messages=messages, stable_messages=2), encoder=encoder)

    marked = ["cache_control" in turn["content"][0] for turn in body["messages"]]
    assert marked == [False, True, False]
