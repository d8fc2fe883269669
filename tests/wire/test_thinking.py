"""What a model thought goes back byte for byte with the tool calls it led to."""

import json
from typing import Any

import pytest

from arc_core import AgentCommand, AssistantMessage, tool
from arc_core.forms import from_json, to_json
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.anthropic.encode import encode_blocks
from arc_plugins.models.openai.chat.encode import encode_payloads
from tests.wire.answers import QUESTION, whole
from tests.wire.models import asking, model_type_of
from tests.wire.recorded import ABSENT, RESPONSES, ROOT, Recording, every_stream

THOUGHT_AND_CALLED = "nonstream/messages_api-anthropic-com_thinking_tool_use.json"
ANSWER = Reply.json({"content": [{"type": "text", "text": "Mexico."}], "stop_reason": "end_turn"})
EVERY_THINKING_STREAM = every_stream(
    lambda each: "thinking" in each.file or "deepseek" in each.file or "cerebras" in each.file
)


@tool
async def get_user_country() -> str:
    """The country of the user."""
    return "Mexico"


def recorded_message() -> dict[str, Any]:
    """A message with thinking, a text and a call."""
    if not RESPONSES:
        pytest.skip(ABSENT)
    message: dict[str, Any] = json.loads((ROOT / THOUGHT_AND_CALLED).read_bytes())
    return message


def streamed(message: dict[str, Any]) -> Reply:
    """The message as a stream, whose blocks come whole but for what the API sends in pieces."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"content": []}}]
    for index, block in enumerate(message["content"]):
        start = {"type": "content_block_start", "index": index, "content_block": block}
        events += [start, {"type": "content_block_stop", "index": index}]
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    events.append({"type": "message_stop"})
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return Reply.events("".join(lines).encode())


@pytest.mark.parametrize("streaming", [False, True])
async def test_signed_thinking_goes_back_in_the_tool_turn(*, streaming: bool) -> None:
    """Through a whole run, whichever way the answer came."""
    message = recorded_message()
    text = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "M"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    end = "".join(f"data: {json.dumps(event)}\n\n" for event in text).encode()
    replies = [streamed(message), Reply.events(end)] if streaming else [Reply.json(message), ANSWER]

    async with VendorServer(*replies) as server, asking(server, AnthropicChatModel) as model:
        agent = scripted_agent(model, tools=(get_user_country,))
        command = AgentCommand(user_prompt="Where am I?")
        if streaming:
            assert [piece async for piece in agent.execute_stream(command)]
        else:
            assert (await agent.execute(command)).success

    sent = server.requests[1].json()["messages"][1]["content"]
    sent[-1].pop("cache_control", None)
    assert sent == message["content"]


@pytest.mark.parametrize("recording", EVERY_THINKING_STREAM)
async def test_thinking_survives_its_form(recording: Recording) -> None:
    """What is sent of a message is the same after it was written as JSON and read."""
    model_type = model_type_of(is_chat=recording.is_chat)
    async with (
        VendorServer(Reply.events(recording.body)) as server,
        asking(server, model_type) as model,
    ):
        message = (await whole(model.stream(QUESTION))).message

    kept = from_json(to_json(message), AssistantMessage)

    ids = [call.id for call in message.tool_calls]
    payloads = encode_payloads if recording.is_chat else encode_blocks
    assert message.reasoning
    assert payloads(kept, ids) == payloads(message, ids)
