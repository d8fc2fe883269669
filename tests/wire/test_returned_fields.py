"""What compatible servers send beside calls and messages goes back as it came, to them alone."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    ChatRequest,
    RunFinished,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.testing import scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.conversations.sql.database import SCHEMA, conversation_address
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from tests.arc_core.leaving_runs import leave_run_before
from tests.wire.agents import get_time, get_weather
from tests.wire.models import asking

EITHER = pytest.mark.parametrize("streaming", [False, True], ids=["complete", "stream"])
SIGNED = {"google": {"thought_signature": "EjQKMgEMOdbHJChLX75QUCJjyYlm+/=="}}
GEMINI_CALL: dict[str, Any] = {
    "extra_content": SIGNED,
    "function": {"arguments": '{"city": "Seoul"}', "name": "get_weather"},
    "id": "jm4owj31",
    "type": "function",
}
SECOND_CALL: dict[str, Any] = {
    "function": {"arguments": '{"city": "Busan"}', "name": "get_time"},
    "id": "k2",
    "type": "function",
}
THOUGHTS = [
    {"type": "reasoning.text", "text": "Let me", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "text": " look.", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "signature": "Et8B/+=", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": "gAAA==", "id": "rs_1", "index": 0},
    {"type": "reasoning.encrypted", "data": "gBBB==", "id": "rs_2", "index": 0},
]
WHOLE_THOUGHTS = [
    {
        "type": "reasoning.text",
        "text": "Let me look.",
        "format": "anthropic-claude-v1",
        "index": 0,
        "signature": "Et8B/+=",
    },
    *THOUGHTS[3:],
]
UNSIGNED_CALL: dict[str, Any] = {
    "id": "call_w",
    "type": "function",
    "function": GEMINI_CALL["function"],
}


def whole(**message: Any) -> Reply:
    """A completion whose message has fields beside its role and content."""
    said = {"role": "assistant", "content": None, **message}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return Reply.json({"choices": [{"index": 0, "message": said, "finish_reason": reason}]})


def stream(*deltas: dict[str, Any], reason: str = "tool_calls") -> Reply:
    """A completion in chunks, the last of which has the reason and nothing else."""
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return Reply.events(f"{lines}data: [DONE]\n\n".encode())


def answer(*, streaming: bool) -> Reply:
    """The end of a run."""
    return stream({"content": "Sunny."}, reason="stop") if streaming else whole(content="Sunny.")


def calling(calls: Sequence[dict[str, Any]], *, streaming: bool, **beside: Any) -> Reply:
    """A turn that calls tools; Gemini streams each call whole, and without an index."""
    if not streaming:
        return whole(tool_calls=calls, **beside)
    return stream(*[{"role": "assistant", "tool_calls": [call]} for call in calls], beside)


@asynccontextmanager
async def application(
    server: VendorServer, *others: VendorServer, **settings: Any
) -> AsyncIterator[Application]:
    """An application whose model is at a server, and that falls back on the others."""
    models = {f"at_{n}": {"base_url": f"{each.url}/v1"} for n, each in enumerate(others)}
    made_up = ArcSettings(
        llm={
            "provider": "openai",
            "base_url": f"{server.url}/v1",
            "models": models,
            "fallbacks": list(models),
        },
        retry={"max_attempts": 1},
        **settings,
    )
    async with Application(made_up, register=[get_weather, get_time], plugins=False) as app:
        yield app
    for each in (server, *others):
        await each.wait_until(partial(_is_left, each))


def _is_left(server: VendorServer) -> bool:
    return server.open_connections == 0


async def run(app: Application, *, streaming: bool) -> None:
    """A run that ends well."""
    command = AgentCommand(user_prompt="How is it?", session_id="s", user_id="ann")
    if not streaming:
        result = await app.execute(command)
    else:
        events = [event async for event in app.stream_events(command)]
        result = next(event.result for event in events if isinstance(event, RunFinished))
    assert result.content == "Sunny.", result.error_message


def sent_back(server: VendorServer, number: int = 1) -> dict[str, Any]:
    """The assistant's first message with calls in a request."""
    messages = server.requests[number].json()["messages"]
    return next(each for each in messages if each.get("tool_calls"))


@EITHER
async def test_a_signed_call_goes_back_with_its_signature(*, streaming: bool) -> None:
    """As Gemini demands, which signs the first of parallel calls alone."""
    calls = [GEMINI_CALL, SECOND_CALL]
    replies = [calling(calls, streaming=streaming), answer(streaming=streaming)]

    async with VendorServer(*replies) as server, application(server) as app:
        await run(app, streaming=streaming)

    assert sent_back(server)["tool_calls"] == calls
    assert SIGNED["google"]["thought_signature"].encode() in server.requests[1].body


@EITHER
async def test_signed_reasoning_goes_back_as_whole_blocks(*, streaming: bool) -> None:
    """As OpenRouter demands: pieces of one block are one again, and encrypted ones stay apart."""
    details = THOUGHTS if streaming else WHOLE_THOUGHTS
    call = calling([UNSIGNED_CALL], streaming=streaming, reasoning_details=details)

    async with (
        VendorServer(call, answer(streaming=streaming)) as server,
        application(server) as app,
    ):
        await run(app, streaming=streaming)

    sent = sent_back(server)
    assert sent["reasoning_details"] == WHOLE_THOUGHTS
    assert sent["tool_calls"] == [UNSIGNED_CALL]


@EITHER
async def test_a_signed_answer_goes_back_with_its_signature(*, streaming: bool) -> None:
    """In the next run of the session, although it has called nothing."""
    signed = {"content": "Sunny.", "extra_content": SIGNED, "reasoning_details": WHOLE_THOUGHTS}
    reply = stream(signed, reason="stop") if streaming else whole(**signed)
    conversation = {"keep_tool_calls": True}

    async with (
        VendorServer(reply, answer(streaming=streaming)) as server,
        application(server, conversation=conversation) as app,
    ):
        await run(app, streaming=streaming)
        await run(app, streaming=streaming)

    messages = server.requests[1].json()["messages"]
    said = [each for each in messages if each["role"] == "assistant"]
    assert said == [{"role": "assistant", **signed}]


@EITHER
async def test_a_fallback_at_another_server_does_not_get_them(*, streaming: bool) -> None:
    """It speaks the same API, and would refuse the fields or read what is not its own."""
    signed = {"reasoning_details": WHOLE_THOUGHTS, "reasoning": "Let me look."}
    call = calling([GEMINI_CALL], streaming=streaming, **signed)
    overloaded = Reply.json({"error": {"message": "overloaded"}}, status=503)

    async with (
        VendorServer(call, overloaded) as server,
        VendorServer(answer(streaming=streaming)) as other,
        application(server, other) as app,
    ):
        await run(app, streaming=streaming)

    unsigned = {name: value for name, value in GEMINI_CALL.items() if name != "extra_content"}
    assert sent_back(server)["tool_calls"] == [GEMINI_CALL]
    assert sent_back(other, 0) == {"role": "assistant", "content": None, "tool_calls": [unsigned]}


@EITHER
@pytest.mark.parametrize("is_on_disk", [False, True], ids=["memory", "sqlite"])
async def test_a_session_keeps_them(tmp_path: Path, *, streaming: bool, is_on_disk: bool) -> None:
    """With `conversation.keep_tool_calls`, the session's next run sends the turn as it was."""
    conversation: dict[str, Any] = {"keep_tool_calls": True}
    if is_on_disk:
        conversation["url"] = f"sqlite:///{tmp_path}/conversations.db"
        await SCHEMA.upgrade(conversation_address(conversation["url"]))
    call = calling([GEMINI_CALL], streaming=streaming, reasoning_opaque="b3Bh")
    replies = [call, *[answer(streaming=streaming)] * 2]

    async with (
        VendorServer(*replies) as server,
        application(server, conversation=conversation) as app,
    ):
        await run(app, streaming=streaming)
        await run(app, streaming=streaming)

    assert sent_back(server, 2)["tool_calls"] == [GEMINI_CALL]
    assert sent_back(server, 2)["reasoning_opaque"] == "b3Bh"


async def test_a_durable_run_that_is_resumed_sends_them() -> None:
    """From the record of the turn, after the process that was answered has died."""
    call = calling([GEMINI_CALL], streaming=True, reasoning_details=THOUGHTS)
    journals, command = DictRunJournals(), AgentCommand(user_prompt="How is it?")
    async with VendorServer(call) as server, asking(server, OpenAIChatModel) as model:
        agent = scripted_agent(model, tools=(get_weather,), run_journals=journals)
        await agent.start()
        await leave_run_before("model/2", journals, command, run_id="r1")

        server.add(answer(streaming=True))
        result = await journals.take_up("r1")

    assert result.content == "Sunny."
    assert sent_back(server)["tool_calls"] == [GEMINI_CALL]
    assert sent_back(server)["reasoning_details"] == WHOLE_THOUGHTS


@pytest.mark.parametrize(
    ("model", "is_sent"),
    [("anthropic/quick", True), ("google/quick", False)],
    ids=["same", "other"],
)
async def test_a_gateway_gets_them_for_the_same_vendor_only(model: str, *, is_sent: bool) -> None:
    """It has several vendors at one address, and says so in the names of its models."""
    call = calling([UNSIGNED_CALL], streaming=False, reasoning_details=WHOLE_THOUGHTS)
    async with (
        VendorServer(call, answer(streaming=False)) as server,
        asking(server, OpenAIChatModel) as chat_model,
    ):
        first = ChatRequest(messages=(UserMessage("Hi"),), model="anthropic/large")
        said = (await chat_model.complete(first)).message
        results = ToolResultMessage((ToolResult("call_w", "get_weather", "sunny"),))
        messages = (*first.messages, said, results)
        await chat_model.complete(ChatRequest(messages=messages, model=model))

    assert ("reasoning_details" in sent_back(server)) is is_sent


async def test_a_flag_of_a_piece_is_not_of_the_message() -> None:
    """Google marks pieces of text as thoughts; the message that has the signature is none."""
    thought = {"content": "Hm.", "extra_content": {"google": {"thought": True}}}
    signed = {"content": "Yes.", "extra_content": SIGNED}
    replies = [stream(thought, signed, {"tool_calls": [GEMINI_CALL]}), answer(streaming=True)]

    async with VendorServer(*replies) as server, application(server) as app:
        await run(app, streaming=True)

    assert sent_back(server)["extra_content"] == SIGNED
