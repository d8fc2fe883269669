"""Whole runs against a vendor on loopback: what is sent is what the vendor accepts."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMode,
    AssistantMessage,
    ResponseFormat,
    ToolCall,
    ToolCallFinished,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.models.openai.responses.answers import (
    CALL,
    REASONING,
    SEARCH,
    completed,
    message,
    response,
    stream_of,
)
from tests.wire.agents import agent, ends_of, events_of, get_text
from tests.wire.models import EACH, VendorModel
from tests.wire.scripts import TEXT_STREAMS, calls_reply, calls_stream, message_calls, text_reply

WEATHER = ToolCall("call_w", "get_weather", '{"city": "Seoul"}')
TIME = ToolCall("call_t", "get_time", '{"city": "Busan"}')


def exchange_in(request: ReceivedRequest, model_type: type[VendorModel]) -> list[Any]:
    """Ids of the calls and results in a request, and the results' texts."""
    if model_type is OpenAIResponsesChatModel:
        items = request.json()["input"]
        made = [item["call_id"] for item in items if item.get("type") == "function_call"]
        outputs = [item for item in items if item.get("type") == "function_call_output"]
        return [made, [(item["call_id"], item["output"]) for item in outputs]]
    if model_type is GeminiChatModel:
        parts = [part for turn in request.json()["contents"] for part in turn["parts"]]
        made = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [made, [(each["id"], each["response"]["output"]) for each in answers]]
    messages = request.json()["messages"]
    if model_type is OpenAIChatModel:
        made = [c["id"] for m in messages for c in m.get("tool_calls", ())]
        answered = [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]
        return [made, answered]
    blocks = [block for message in messages for block in message["content"]]
    made = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block for block in blocks if block["type"] == "tool_result"]
    return [made, [(block["tool_use_id"], block["content"]) for block in results]]


@EACH
async def test_a_run_with_two_parallel_tools(model_type: type[VendorModel]) -> None:
    """Both results go back beside their calls, and the answer follows."""
    replies = [calls_reply(model_type, WEATHER, TIME), text_reply(model_type, "Sunny at noon.")]
    async with VendorServer(*replies) as server, agent(server, model_type) as application:
        result = await application.execute("How is it?")

    assert (result.content, result.tools_used) == ("Sunny at noon.", ("get_weather", "get_time"))
    assert result.token_usage is not None
    assert result.token_usage.total_tokens == 24
    assert exchange_in(server.requests[1], model_type) == [
        ["call_w", "call_t"],
        [("call_w", "sunny in Seoul"), ("call_t", "noon in Busan")],
    ]


@pytest.mark.slow
@EACH
async def test_a_stream_with_two_parallel_tools(model_type: type[VendorModel]) -> None:
    """The same, streamed: tools end before the text comes, and there is one end."""
    replies = [calls_stream(model_type, WEATHER, TIME), TEXT_STREAMS[model_type]]
    async with (
        VendorServer(*map(Reply.events, replies)) as server,
        agent(server, model_type) as application,
    ):
        events = await events_of(application, "How is it?")

    assert len([event for event in events if isinstance(event, ToolCallFinished)]) == 2
    assert get_text(events) == "The weather is fine."
    assert [end.result.content for end in ends_of(events)] == ["The weather is fine."]
    assert exchange_in(server.requests[1], model_type)[0] == ["call_w", "call_t"]


@pytest.mark.slow
@EACH
async def test_at_the_limit_tools_are_shown_and_forbidden(model_type: type[VendorModel]) -> None:
    """The last request keeps the definitions, which the history needs, and allows no call."""
    replies = [calls_reply(model_type, WEATHER), text_reply(model_type, "Enough.")]
    async with (
        VendorServer(*replies) as server,
        agent(server, model_type, max_tool_calls=1) as application,
    ):
        result = await application.execute("How is it?")

    first, second = (request.json() for request in server.requests)
    field, none = {
        AnthropicChatModel: ("tool_choice", {"type": "none"}),
        GeminiChatModel: ("toolConfig", {"functionCallingConfig": {"mode": "NONE"}}),
    }.get(model_type, ("tool_choice", "none"))
    assert result.content == "Enough."
    assert field not in first
    assert second[field] == none
    assert second["tools"] == first["tools"]


@pytest.mark.slow
async def test_thinking_goes_back_unchanged() -> None:
    """The signed blocks of a tool turn are sent as they came, before the calls."""
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"}
    redacted = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    replies = [
        message_calls(WEATHER, before=[thinking, redacted]),
        TEXT_STREAMS[AnthropicChatModel],
    ]
    async with (
        VendorServer(*map(Reply.events, replies)) as server,
        agent(server, AnthropicChatModel) as application,
    ):
        events = await events_of(application, "How is it?")

    assert ends_of(events)[0].result.success
    use = {"type": "tool_use", "id": "call_w", "name": "get_weather", "input": {"city": "Seoul"}}
    assert server.requests[1].json()["messages"][1] == {
        "role": "assistant",
        "content": [thinking, redacted, use],
    }


@pytest.mark.slow
@pytest.mark.parametrize("streaming", [False, True])
async def test_reasoning_goes_back_encrypted(*, streaming: bool) -> None:
    """Items of a tool turn are sent as they came, and people see the summary only."""
    items = (REASONING, message("I look. ", phase="commentary"), SEARCH, CALL)
    streams = [stream_of(completed(*items)), TEXT_STREAMS[OpenAIResponsesChatModel]]
    wholes = [Reply.json(response(*items)), text_reply(OpenAIResponsesChatModel, "Fine.")]
    replies = map(Reply.events, streams) if streaming else wholes
    async with (
        VendorServer(*replies) as server,
        agent(server, OpenAIResponsesChatModel) as application,
    ):
        if streaming:
            events = await events_of(application, "How is it?")
            result = ends_of(events)[0].result
        else:
            result = await application.execute("How is it?")

    sent = server.requests[1].json()["input"]
    del items[1]["content"][0]["logprobs"]
    assert result.success
    assert sent[1:5] == list(items)
    assert sent[5] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "sunny in Seoul",
    }
    assert "I look it up." not in str(result.content)


@pytest.mark.slow
@EACH
async def test_history_with_tool_use_and_no_tools_on_offer(model_type: type[VendorModel]) -> None:
    """Anthropic demands definitions for it, and gets them with all calls forbidden."""
    history = (
        UserMessage("How is it?"),
        AssistantMessage("", (WEATHER,)),
        ToolResultMessage((ToolResult("call_w", "get_weather", "sunny"),)),
        AssistantMessage("Sunny."),
    )
    command = AgentCommand(
        user_prompt="Thanks.", mode=AgentMode.STANDARD, conversation_history=history
    )
    replies = [text_reply(model_type, "You are welcome.")]
    async with VendorServer(*replies) as server, agent(server, model_type) as application:
        await application.execute(command)

    body = server.requests[0].json()
    assert exchange_in(server.requests[0], model_type) == [["call_w"], [("call_w", "sunny")]]
    if model_type is AnthropicChatModel:
        assert [tool["name"] for tool in body["tools"]] == ["get_weather"]
        assert body["tool_choice"] == {"type": "none"}
    else:
        assert "tools" not in body


@EACH
async def test_a_connection_dropped_in_the_middle(model_type: type[VendorModel]) -> None:
    """What was handed out is kept, nothing is tried again, the run ends once and leaves nothing."""
    stream = TEXT_STREAMS[model_type]
    dropped = Reply.events(stream).cut_off(stream.index(b"is "), Ending.DROPPED)
    async with VendorServer(dropped, dropped) as server, agent(server, model_type) as application:
        events = await events_of(application, "How is it?")

    (end,) = ends_of(events)
    assert end.result.error_code is AgentErrorCode.UNAVAILABLE
    assert end.result.partial_content == get_text(events) == "The weather "
    assert len(server.requests) == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_dropped_before_the_first_piece(
    model_type: type[VendorModel], ending: Ending
) -> None:
    """Nothing was handed out, so it is tried again, and the caller notices nothing."""
    replies = [Reply.nothing(ending), Reply.events(TEXT_STREAMS[model_type])]
    async with VendorServer(*replies) as server, agent(server, model_type) as application:
        events = await events_of(application, "How is it?")

    assert get_text(events) == "The weather is fine."
    assert len(server.requests) == 2


@pytest.mark.slow
@EACH
async def test_calls_without_ids_are_matched_by_place(model_type: type[VendorModel]) -> None:
    """What goes back has an id for each call, and the same for its result."""
    nameless = [ToolCall("", each.name, each.arguments) for each in (WEATHER, TIME)]
    replies = [calls_reply(model_type, *nameless), text_reply(model_type, "Fine.")]
    async with VendorServer(*replies) as server, agent(server, model_type) as application:
        result = await application.execute("How is it?")

    made, answered = exchange_in(server.requests[1], model_type)
    assert result.success
    assert len(set(made)) == 2
    assert answered == [(made[0], "sunny in Seoul"), (made[1], "noon in Busan")]


@pytest.mark.slow
async def test_arguments_that_are_not_json_come_back_as_an_error() -> None:
    """The model is told what is wrong, and the run goes on."""
    broken = ToolCall("call_w", "get_weather", '{"city": Seoul}')
    replies = [calls_reply(OpenAIChatModel, broken), text_reply(OpenAIChatModel, "Sorry.")]
    async with VendorServer(*replies) as server, agent(server, OpenAIChatModel) as application:
        result = await application.execute("How is it?")

    (answer,) = exchange_in(server.requests[1], OpenAIChatModel)[1]
    assert result.content == "Sorry."
    assert answer[1].startswith("Error: ")


@EACH
async def test_a_schema_is_enforced_by_the_vendor(model_type: type[VendorModel]) -> None:
    """The schema travels in the vendor's own field."""
    city = {"city": {"type": "string"}}
    schema = {"type": "object", "properties": city, "required": ["city"]}
    command = AgentCommand(
        user_prompt="Which city?", response_format=ResponseFormat.JSON, response_schema=schema
    )
    replies = [text_reply(model_type, '{"city": "Seoul"}')]
    async with VendorServer(*replies) as server, agent(server, model_type) as application:
        result = await application.execute(command)

    body = server.requests[0].json()
    closed = {**schema, "additionalProperties": False}
    fields = {
        OpenAIChatModel: ("response_format", "json_schema", "schema", closed),
        AnthropicChatModel: ("output_config", "format", "schema", closed),
        OpenAIResponsesChatModel: ("text", "format", "schema", closed),
        GeminiChatModel: ("generationConfig", "responseJsonSchema", "properties", city),
    }
    outer, inner, name, expected = fields[model_type]
    assert body[outer][inner][name] == expected
    assert result.content == '{"city": "Seoul"}'


@pytest.mark.slow
@EACH
async def test_people_are_told_in_words(model_type: type[VendorModel]) -> None:
    """A wrong key gives a code and a sentence, without a word of the vendor's."""
    reply = Reply.json({"error": {"message": "Incorrect API key: sk-1", "code": "x"}}, status=401)
    async with VendorServer(reply) as server, agent(server, model_type) as application:
        result = await application.execute("How is it?")

    assert result.error_code is AgentErrorCode.AUTHENTICATION
    assert result.error_message
    assert "sk-1" not in repr(result)
    assert len(server.requests) == 1
