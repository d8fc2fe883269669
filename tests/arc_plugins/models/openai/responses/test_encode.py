"""Bodies of requests for a response."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter

from arc_core import (
    Attachment,
    ChatRequest,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_plugins.models.openai.responses.decode import decode_response
from arc_plugins.models.openai.responses.encode import ResponsesDialect, ResponsesRequestEncoder
from tests.arc_plugins.models.exchanges import City, get_weather
from tests.arc_plugins.models.openai.responses.answers import (
    CALL,
    REASONING,
    SEARCH,
    message,
    response,
)

WHOLE = TypeAdapter[Any](ResponseCreateParamsNonStreaming)
STREAMED = TypeAdapter[Any](ResponseCreateParamsStreaming)
HELLO = UserMessage("안녕 \ud83d")
BARE = ResponsesDialect(
    takes_include=False, takes_summary=False, takes_format=False, takes_cache_key=False
)


def body_of(
    request: ChatRequest,
    *,
    dialect: ResponsesDialect | None = None,
    stream: bool = False,
    prompt_caching: bool = True,
) -> dict[str, Any]:
    """A body, as the server reads it."""
    encoder = ResponsesRequestEncoder(prompt_caching=prompt_caching)
    encoded = encoder.encode(
        request, model="m", dialect=dialect or ResponsesDialect(), stream=stream
    )
    body: dict[str, Any] = json.loads(encoded)
    return body


def check(types: TypeAdapter[Any], body: object) -> None:
    """See that a body has the SDK's types; iterables are validated only as they are read."""
    unread = [types.validate_python(body)]
    while unread:
        value = unread.pop()
        if isinstance(value, Mapping):
            unread += value.values()
        elif isinstance(value, Iterable) and not isinstance(value, str):
            unread += value


def test_the_least_there_is() -> None:
    """Only what was asked for is sent, and OpenAI is to keep nothing of it."""
    assert body_of(ChatRequest(messages=(HELLO,))) == {
        "model": "m",
        "input": [{"role": "user", "content": "안녕 \ufffd"}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


EVERYTHING = ChatRequest(
    messages=(HELLO,),
    system_prompt="Be brief.",
    tools=(get_weather,),
    tool_choice="none",
    temperature=0.5,
    max_output_tokens=64,
    response_format=ResponseFormat.JSON,
    response_schema=City,
    reasoning=ReasoningEffort.LOW,
    cache_key="session",
)


REST = {
    "include": ["reasoning.encrypted_content"],
    "instructions": "Be brief.",
    "max_output_tokens": 64,
    "prompt_cache_key": "session",
    "reasoning": {"effort": "low", "summary": "auto"},
    "store": False,
    "stream": True,
    "temperature": 0.5,
    "tool_choice": "none",
}


def test_the_most_there_is() -> None:
    """Everything has its field."""
    body = body_of(EVERYTHING, stream=True)

    apart = {"input", "model", "text", "tools"}
    assert {name: value for name, value in body.items() if name not in apart} == REST


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("required", "required"),
        ("get_weather", {"type": "function", "name": "get_weather"}),
    ],
)
def test_a_demand_for_a_tool_call_is_a_choice(choice: str, sent: object) -> None:
    """Of any tool, or of one."""
    assert body_of(replace(EVERYTHING, tool_choice=choice)).get("tool_choice") == sent
    assert "tool_choice" not in body_of(replace(EVERYTHING, tool_choice=choice, tools=()))


def test_a_tool_is_a_function() -> None:
    """Not a strict one, as it would be if nothing were said: most schemas of tools are wider."""
    assert body_of(EVERYTHING)["tools"] == [
        {
            "type": "function",
            "name": "get_weather",
            "description": "The weather of a city.",
            "parameters": get_weather.parameters,
            "strict": False,
        }
    ]


def test_a_schema_is_a_format() -> None:
    """Named after its class, and strict."""
    answer_format = body_of(EVERYTHING)["text"]["format"]

    schema = answer_format.pop("schema")
    assert answer_format == {"type": "json_schema", "name": "City", "strict": True}
    assert (schema["required"], schema["additionalProperties"]) == (["name"], False)


def test_the_beginning_stays_the_same_in_a_session() -> None:
    """Instructions, tools and history stand before all that changes between requests."""
    encoder = ResponsesRequestEncoder(prompt_caching=True)
    first = ChatRequest(messages=(HELLO,), tools=(get_weather,), system_prompt="Be brief.")
    more = replace(first, messages=(HELLO, HELLO), tool_choice="none", temperature=0.0)

    before, after = (
        encoder.encode(each, model="m", dialect=ResponsesDialect(), stream=True)
        for each in (first, more)
    )

    assert after.startswith(before[: before.index(b'],"store"')])


def test_what_a_model_does_not_take_is_left_out() -> None:
    """All that Arc can do without."""
    left_out = {"include", "text", "prompt_cache_key"}

    assert not left_out & body_of(EVERYTHING, dialect=BARE).keys()


def test_effort_is_sent_without_a_summary() -> None:
    """Summaries are for verified organizations."""
    body = body_of(EVERYTHING, dialect=ResponsesDialect(takes_summary=False))

    assert body["reasoning"] == {"effort": "low"}


def test_caching_may_be_switched_off() -> None:
    """The setting counts."""
    assert "prompt_cache_key" not in body_of(EVERYTHING, prompt_caching=False)


@pytest.mark.parametrize("request_", [ChatRequest(messages=(HELLO,)), EVERYTHING])
def test_verbosity_stands_beside_the_format(request_: ChatRequest) -> None:
    """It is a part of a field that Arc writes."""
    encoder = ResponsesRequestEncoder(prompt_caching=True, verbosity="low")

    body = json.loads(encoder.encode(request_, model="m", dialect=ResponsesDialect(), stream=False))

    assert body["text"]["verbosity"] == "low"
    assert ("format" in body["text"]) is (request_ is EVERYTHING)


def test_the_least_bound_of_an_answer_is_the_apis() -> None:
    """It refuses less than sixteen tokens."""
    assert body_of(ChatRequest(messages=(HELLO,), max_output_tokens=1))["max_output_tokens"] == 16


@pytest.mark.parametrize(
    ("schema", "expected"),
    [(None, {"format": {"type": "json_object"}}), ({"type": "object"}, None)],
)
def test_json_without_a_schema(schema: dict[str, Any] | None, expected: object) -> None:
    """Any object is asked for; a schema that the subset cannot say is left to the prompt."""
    request = ChatRequest(
        messages=(HELLO,), response_format=ResponseFormat.JSON, response_schema=schema
    )

    assert body_of(request).get("text") == expected


def test_a_message_is_encoded_once() -> None:
    """The second request costs what is new."""
    encoder, request = ResponsesRequestEncoder(prompt_caching=True), ChatRequest(messages=(HELLO,))

    bodies = [encoder.encode(request, model="m", dialect=BARE, stream=False) for _ in range(2)]

    assert bodies[0] == bodies[1]


TURNS = tuple(
    decode_response(json.dumps(response(*items)).encode()).message
    for items in (
        (REASONING, message("I look.", phase="commentary"), CALL),
        (SEARCH, {**CALL, "namespace": "n"}, message("Sunny.")),
        ({**REASONING, "encrypted_content": None}, CALL),
        (CALL,),
    )
)
RESULT = ToolResultMessage((ToolResult("call_1", "get_weather", "sunny"),))
PICTURE = (Text("See"), Attachment("image/png", b"\x89PNG"))
DOCUMENT = (Attachment("application/pdf", b"%PDF-"), Attachment("application/pdf", url="https://a"))


@pytest.mark.parametrize(
    "messages",
    [
        (HELLO,),
        (SystemMessage("Be brief."), HELLO),
        *[(HELLO, turn, RESULT) for turn in TURNS],
        (UserMessage(PICTURE),),
        (UserMessage(DOCUMENT),),
        (HELLO, TURNS[3], ToolResultMessage((ToolResult("c", "draw", PICTURE),))),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_bodies_are_what_the_sdk_would_send(messages: tuple[Any, ...], *, stream: bool) -> None:
    """Text, tool turns with reasoning, images, documents: its types accept them."""
    request = ChatRequest(messages=messages, tools=(get_weather,), system_prompt="Be brief.")

    check(STREAMED if stream else WHOLE, body_of(request, stream=stream))


def test_a_whole_body_is_what_the_sdk_would_send() -> None:
    """With every field that there is."""
    check(STREAMED, body_of(EVERYTHING, stream=True))


def test_the_types_of_the_sdk_refuse_what_is_wrong() -> None:
    """So that the tests above can fail."""
    body = body_of(ChatRequest(messages=(HELLO,)))

    for wrong in ({"input": [{"type": "reasoning"}]}, {"tools": [{"type": "function"}]}):
        with pytest.raises(ValueError, match="validation error"):
            check(WHOLE, {**body, **wrong})
