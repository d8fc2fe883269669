"""Answers of Anthropic's whose values are of another type."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    RunFinished,
    UserMessage,
)
from arc_core.settings import AgentSettings
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.anthropic.encode import encode_blocks
from tests.wire.models import asking
from tests.wire.scripts import message_events

NO_RETRIES = AgentSettings.model_validate({"retry": {"max_attempts": 1}})
USE = {"type": "tool_use", "id": "a", "input": {}}
END = (
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
    {"type": "message_stop"},
)


def block(start: dict[str, Any], **delta: Any) -> tuple[dict[str, Any], ...]:
    """The events of a content block, with a delta if there is one."""
    begun = {"type": "content_block_start", "index": 0, "content_block": start}
    added = {"type": "content_block_delta", "index": 0, "delta": delta}
    return (begun, added) if delta else (begun,)


async def ask(reply: Reply, *, streaming: bool) -> AgentResult[Any]:
    """The result of a run whose model answers with this."""
    async with VendorServer(reply) as server, asking(server, AnthropicChatModel) as model:
        agent, command = scripted_agent(model, NO_RETRIES), AgentCommand(user_prompt="Hi")
        if not streaming:
            return await agent.execute(command)
        *_, end = [each async for each in agent.stream_events(command)]
        assert isinstance(end, RunFinished)
        return end.result


@pytest.mark.parametrize(
    "events",
    [
        block({"type": "text", "text": ""}, type="text_delta", text=7),
        block({"type": "text", "text": [7]}),
        block({"type": "thinking"}, type="thinking_delta", thinking={"a": 1}),
        block({**USE, "name": 7}),
        block({**USE, "name": "f"}, type="input_json_delta", partial_json=7),
    ],
)
async def test_a_stream_whose_text_is_not_one_fails(events: tuple[dict[str, Any], ...]) -> None:
    """The run ends with a code, and nothing is raised."""
    result = await ask(Reply.events(message_events(*events, *END)), streaming=True)

    assert result.error_code is AgentErrorCode.INVALID_RESPONSE


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "thinking", "thinking": 7},
        {"type": "thinking", "thinking": "Hm.", "signature": [7]},
        {"type": "redacted_thinking", "data": {"a": 1}},
        {**USE, "name": 7},
        {"content": {"text": "4"}},
    ],
)
async def test_an_answer_whose_text_is_not_one_fails(odd: dict[str, Any]) -> None:
    """Also a block without a type, which could not be sent back."""
    content = [odd, {"type": "text", "text": "4"}]

    result = await ask(Reply.json({"content": content, "stop_reason": "end_turn"}), streaming=False)

    assert result.error_code is AgentErrorCode.INVALID_RESPONSE


@pytest.mark.parametrize("odd", [{}, {"text": None}, {"text": False}])
async def test_a_block_without_text_does_not_spoil_its_conversation(odd: dict[str, Any]) -> None:
    """The answer is taken, and goes back without it."""
    search = {"type": "server_tool_use", "id": "s", "name": "search", "input": {}}
    content = [{"type": "text", **odd}, search, {"type": "text", "text": "4"}]

    result = await ask(Reply.json({"content": content, "stop_reason": "end_turn"}), streaming=False)

    asked, answer = result.messages
    assert isinstance(asked, UserMessage)
    assert isinstance(answer, AssistantMessage)
    assert encode_blocks(answer, ()) == content[1:]
