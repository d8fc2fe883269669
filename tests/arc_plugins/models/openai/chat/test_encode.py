"""Bodies of chat completion requests."""

import json
from dataclasses import replace
from typing import Any

import pytest

from arc_core import (
    AssistantMessage,
    ChatRequest,
    ReasoningEffort,
    ResponseFormat,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_plugins.models.openai.chat.encode import ChatDialect, ChatRequestEncoder, dialect_of_host
from tests.arc_plugins.models.exchanges import City, get_weather

HELLO = UserMessage("안녕 \ud83d")


def body_of(
    request: ChatRequest,
    *,
    dialect: ChatDialect | None = None,
    stream: bool = False,
    encoder: ChatRequestEncoder | None = None,
) -> dict[str, Any]:
    """A body, as the server reads it."""
    encoder = encoder or ChatRequestEncoder(sends_cache_key=True)
    dialect = dialect or ChatDialect()
    body: dict[str, Any] = json.loads(
        encoder.encode(request, model="m", dialect=dialect, stream=stream)
    )
    return body


def test_the_least_there_is() -> None:
    """Only what was asked for is sent; half a surrogate pair does not stop it."""
    assert body_of(ChatRequest(messages=(HELLO,))) == {
        "model": "m",
        "messages": [{"role": "user", "content": "안녕 \ufffd"}],
    }


EVERYTHING = ChatRequest(
    system_prompt="Be brief.",
    messages=(UserMessage("Hi"),),
    tools=(get_weather,),
    tool_choice="none",
    temperature=0.0,
    max_output_tokens=9,
)


def test_all_there_is() -> None:
    """System prompt first, tools with closed choice, bounds and the stream's options."""
    body = body_of(EVERYTHING, stream=True)

    assert body.pop("messages")[0] == {"role": "system", "content": "Be brief."}
    assert body.pop("tools") == [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "The weather of a city.",
                "parameters": get_weather.parameters,
            },
        }
    ]
    assert body == {
        "model": "m",
        "tool_choice": "none",
        "temperature": 0.0,
        "max_completion_tokens": 9,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("required", "required"),
        ("get_weather", {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
def test_a_demand_for_a_tool_call_is_a_choice(choice: str, sent: object) -> None:
    """Of any tool, or of one."""
    assert body_of(replace(EVERYTHING, tool_choice=choice)).get("tool_choice") == sent
    assert "tool_choice" not in body_of(replace(EVERYTHING, tool_choice=choice, tools=()))


def test_a_body_begins_with_what_stays_the_same() -> None:
    """Over a session: the model, the tools, the system prompt; what may change follows."""
    body = ChatRequestEncoder(sends_cache_key=True).encode(
        EVERYTHING, model="m", dialect=ChatDialect(), stream=True
    )

    assert list(json.loads(body))[:3] == ["model", "tools", "messages"]


def test_what_a_server_does_not_take_is_not_sent() -> None:
    """The dialect decides."""
    dialect = ChatDialect(
        max_tokens_names=(),
        takes_stream_options=False,
        takes_response_format=False,
        needs_no_reasoning=True,
    )
    request = ChatRequest(
        messages=(UserMessage("Hi"),),
        tools=(get_weather,),
        max_output_tokens=9,
        response_format=ResponseFormat.JSON,
    )

    body = body_of(request, dialect=dialect, stream=True)

    assert body.keys() == {"model", "messages", "tools", "reasoning_effort", "stream"}
    assert body["reasoning_effort"] == "none"


def test_a_class_becomes_a_strict_schema() -> None:
    """The vendor enforces it while the model writes."""
    request = ChatRequest(
        messages=(HELLO,), response_format=ResponseFormat.JSON, response_schema=City
    )

    assert body_of(request)["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "City",
            "strict": True,
            "schema": {
                "type": "object",
                "description": "An answer.",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    }


def test_json_without_a_schema_is_any_object() -> None:
    """The vendor's JSON mode."""
    request = ChatRequest(messages=(HELLO,), response_format=ResponseFormat.JSON)

    assert body_of(request)["response_format"] == {"type": "json_object"}


def test_what_the_vendor_cannot_enforce_is_left_to_the_prompt() -> None:
    """Neither free-form schemas nor YAML have a native form."""
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    free = ChatRequest(
        messages=(HELLO,), response_format=ResponseFormat.JSON, response_schema=schema
    )
    yaml = ChatRequest(messages=(HELLO,), response_format=ResponseFormat.YAML, response_schema=City)

    assert "response_format" not in body_of(free)
    assert "response_format" not in body_of(yaml)


def exchange(call_id: str, city: str) -> tuple[AssistantMessage, ToolResultMessage]:
    """A call and its result."""
    call = ToolCall(call_id, "get_weather", json.dumps({"city": city}))
    return AssistantMessage("", (call,)), ToolResultMessage((ToolResult(call_id, "f", city),))


def test_repeated_ids_are_told_apart() -> None:
    """The second turn's call gets an id of its own, and so does its result."""
    messages = (HELLO, *exchange("x", "Seoul"), *exchange("x", "Busan"))

    sent = body_of(ChatRequest(messages=messages))["messages"]

    calls = [m["tool_calls"][0]["id"] for m in sent if "tool_calls" in m]
    assert calls == [m["tool_call_id"] for m in sent if m["role"] == "tool"]
    assert calls[0] == "x"
    assert calls[1] != "x"


def test_kept_encodings_are_the_fresh_ones() -> None:
    """Whatever was encoded before, a request is encoded as if it were the first."""
    kept = ChatRequestEncoder(sends_cache_key=True)
    first, second = exchange("x", "Seoul"), exchange("x", "Busan")
    history = [(HELLO, *first), (HELLO, *first, *second), (HELLO, *second), (HELLO, *first)]

    for messages in history:
        request = ChatRequest(messages=messages, tools=(get_weather,))
        assert body_of(request, encoder=kept) == body_of(request)


@pytest.mark.parametrize("dialect", [ChatDialect(), ChatDialect(needs_no_reasoning=True)])
def test_the_effort_of_a_request_is_sent(dialect: ChatDialect) -> None:
    """Also to a model that would need none with tools: the one who asked is told by its refusal."""
    request = ChatRequest(messages=(HELLO,), tools=(get_weather,), reasoning=ReasoningEffort.LOW)

    assert body_of(request, dialect=dialect)["reasoning_effort"] == "low"


def test_the_key_of_the_cache_is_sent_to_servers_that_take_it() -> None:
    """Imitators may refuse what they do not know; a user may not want it."""
    request = ChatRequest(messages=(HELLO,), cache_key="session")
    imitator, silent = dialect_of_host("acme.example"), ChatRequestEncoder(sends_cache_key=False)

    assert body_of(request)["prompt_cache_key"] == "session"
    assert "prompt_cache_key" not in body_of(request, dialect=imitator)
    assert "prompt_cache_key" not in body_of(request, encoder=silent)
