"""What a vendor has signed goes to the same vendor's models at another host, unless refused."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arc_core import (
    AssistantMessage,
    ChatRequest,
    ReasoningEffort,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from tests.wire.answers import whole
from tests.wire.hosts import asking_host, frames_of, give_credentials, google_token
from tests.wire.models import asking
from tests.wire.scripts import (
    content,
    content_events,
    content_text,
    message_blocks,
    message_text,
    text_reply,
)

SIGNATURE = "c2lnbmVkIGJ5IHRoZSB2ZW5kb3I="
THOUGHT = {"type": "thinking", "thinking": "Warm, I guess.", "signature": SIGNATURE}
USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Seoul"}}
CALL = {"functionCall": {"name": "get_weather", "args": {"city": "Seoul"}}}
SIGNED_CALL = {**CALL, "thoughtSignature": SIGNATURE}
QUESTION = UserMessage("How is it?")
STREAMING = pytest.mark.parametrize("streaming", [False, True], ids=["complete", "stream"])
PLACES = ("own", "bedrock", "vertex")
WAYS = [(AnthropicChatModel, one, two) for one in PLACES for two in PLACES if one != two]
PAIRS = pytest.mark.parametrize(
    ("model_type", "first", "second"),
    [*WAYS, (GeminiChatModel, "own", "vertex"), (GeminiChatModel, "vertex", "own")],
)
SignedModel = AnthropicChatModel | GeminiChatModel


@pytest.fixture(autouse=True)
async def _tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[None]:
    """Credentials of all hosts, and loopback as the vendors' own address."""
    for model_type in (AnthropicChatModel, GeminiChatModel):
        here = replace(model_type.vendor, host="127.0.0.1")
        monkeypatch.setattr(model_type, "vendor", here)
    async with VendorServer(*[google_token()] * 4) as tokens:
        give_credentials(monkeypatch, tmp_path, tokens=tokens)
        yield


@asynccontextmanager
async def asked_at(
    place: str, model_type: type[SignedModel], *replies: Reply
) -> AsyncIterator[tuple[SignedModel, VendorServer]]:
    """A model of the vendor at a host, or at the vendor itself, and who answers for it."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(VendorServer(*replies))
        opened = asking_host(server, model_type, place) if place != "own" else None
        model = await stack.enter_async_context(opened or asking(server, model_type))
        assert isinstance(model, AnthropicChatModel | GeminiChatModel)
        yield model, server


def signed_reply(model_type: type[SignedModel], place: str, *, streaming: bool) -> Reply:
    """An answer that thinks, signed, and calls a tool."""
    if model_type is GeminiChatModel:
        said = content(SIGNED_CALL, finishReason="STOP")
        return Reply.events(content_events(said)) if streaming else Reply.json(said)
    if not streaming:
        counts = {"input_tokens": 7, "output_tokens": 5}
        message = {"content": [THOUGHT, USE], "stop_reason": "tool_use", "usage": counts}
        return Reply.json({"type": "message", **message})
    events = message_blocks(THOUGHT, USE, reason="tool_use")
    return frames_of(events) if place == "bedrock" else Reply.events(events)


def text_answer(model_type: type[SignedModel], place: str, *, streaming: bool) -> Reply:
    """An answer of text, whole or as it is streamed at a host."""
    if not streaming:
        return text_reply(model_type, "Sunny.")
    if model_type is GeminiChatModel:
        return Reply.events(content_text(["Sunny."]))
    events = message_text(["Sunny."])
    return frames_of(events) if place == "bedrock" else Reply.events(events)


async def ask(model: SignedModel, request: ChatRequest, *, streaming: bool) -> AssistantMessage:
    """The message that a model answers with."""
    answer = await (whole(model.stream(request)) if streaming else model.complete(request))
    return answer.message


def refusal(model_type: type[SignedModel]) -> Reply:
    """The request is not valid, as the vendors say of a signature that they do not know."""
    if model_type is GeminiChatModel:
        facts = {"code": 400, "status": "INVALID_ARGUMENT", "message": "Corrupted thought."}
    else:
        facts = {"type": "invalid_request_error", "message": "Invalid `signature`"}
    return Reply.json({"type": "error", "error": facts}, status=400)


async def ask_signed(model_type: type[SignedModel], place: str, *, streaming: bool) -> ChatRequest:
    """The second turn of a run, whose first one was answered at a host."""
    reply = signed_reply(model_type, place, streaming=streaming)
    request = ChatRequest(messages=(QUESTION,))
    async with asked_at(place, model_type, reply) as (model, _):
        said = await ask(model, request, streaming=streaming)
    assert said.vendor_content is not None
    results = ToolResultMessage((ToolResult(said.tool_calls[0].id, "get_weather", "sunny"),))
    return ChatRequest(messages=(QUESTION, said, results))


def list_signed(server: VendorServer) -> list[bool]:
    """For each request, whether it has the signature."""
    return [SIGNATURE in each.body.decode() for each in server.requests]


def log_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines about blocks that are left out."""
    lines = [each.getMessage() for each in caplog.records if each.name.startswith("arc")]
    return [each for each in lines if "is left out from now on" in each]


def find_turn(server: VendorServer, number: int) -> Any:
    """The turn of the model in a request."""
    body = server.requests[number].json()
    return (body.get("messages") or body["contents"])[1]


@STREAMING
@PAIRS
async def test_signed_blocks_go_to_the_same_vendor_at_another_host(
    model_type: type[SignedModel], first: str, second: str, *, streaming: bool
) -> None:
    """As they came, to the byte."""
    request = await ask_signed(model_type, first, streaming=streaming)

    answer = text_answer(model_type, second, streaming=streaming)

    async with asked_at(second, model_type, answer) as (model, server):
        await ask(model, request, streaming=streaming)

    turn = find_turn(server, 0)
    if model_type is GeminiChatModel:
        assert turn["parts"][0]["thoughtSignature"] == SIGNATURE
    else:
        assert turn["content"] == [THOUGHT, USE]


@STREAMING
@PAIRS
async def test_refused_blocks_are_left_out_once_and_from_then_on(
    model_type: type[SignedModel],
    first: str,
    second: str,
    caplog: pytest.LogCaptureFixture,
    *,
    streaming: bool,
) -> None:
    """The run goes on without them, and the log says so in one line."""
    caplog.set_level("INFO")
    request = await ask_signed(model_type, first, streaming=streaming)
    answer = text_answer(model_type, second, streaming=streaming)
    replies = [refusal(model_type), answer, answer]

    async with asked_at(second, model_type, *replies) as (model, server):
        said = await ask(model, request, streaming=streaming)
        await ask(model, request, streaming=streaming)

    assert said == AssistantMessage("Sunny.")
    assert list_signed(server) == [True, False, False]
    assert "Warm, I guess" not in json.dumps(find_turn(server, 1))
    assert len(log_of(caplog)) == 1


async def test_blocks_stay_if_something_else_was_refused(caplog: pytest.LogCaptureFixture) -> None:
    """Here the way in which an older model is told to think."""
    caplog.set_level("INFO")
    request = await ask_signed(AnthropicChatModel, "vertex", streaming=False)
    request = replace(request, reasoning=ReasoningEffort.LOW, max_output_tokens=4096)
    refused, answer = refusal(AnthropicChatModel), text_reply(AnthropicChatModel, "Sunny.")
    replies = [refused, refused, answer, answer]

    async with asked_at("bedrock", AnthropicChatModel, *replies) as (model, server):
        await model.complete(request)
        await model.complete(request)

    assert list_signed(server) == [True, False, True, True]
    assert [each.json()["thinking"]["type"] for each in server.requests] == [
        *("adaptive", "adaptive", "enabled", "enabled")
    ]
    assert not log_of(caplog)
