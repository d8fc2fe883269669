"""What a model thought comes back from a database, and goes back to the vendor, to the byte."""

import json
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")

from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.wire.agents import agent
from tests.wire.models import KEY, VendorModel
from tests.wire.recorded import RESPONSE_STREAMS, Recording, every_stream, parameters_of
from tests.wire.scripts import TEXT_STREAMS
from tests.wire.test_thinking import recorded_message, streamed

pytestmark = pytest.mark.slow

ENCRYPTED = parameters_of(
    [
        each
        for each in RESPONSE_STREAMS
        if each.facts["expected"]["reasoning"] and each.facts["expected"]["function_calls"]
    ]
)
THINKING = every_stream(lambda each: "thinking" in each.file)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_API_KEY", KEY)


async def requests_of(
    database: str, model_type: type[VendorModel], body: bytes
) -> list[ReceivedRequest]:
    """What a vendor is sent in two runs of a session, the second in another application."""
    kept = {"url": database, "keep_tool_calls": True}
    text = TEXT_STREAMS[model_type]
    replies = [Reply.events(each) for each in (body, text, text)]
    async with VendorServer(*replies) as server:
        for question in ("How is the weather?", "And now?"):
            async with (
                agent(server, model_type, conversation=kept) as app,
                app.stream(question, session_id="s") as run,
            ):
                (await run.result()).unwrap()
    return server.requests


def last_stream(body: bytes) -> bytes:
    """The last response of a recording of several turns."""
    return body[body.rindex(b"event: response.created") :]


def items_done(stream: bytes) -> list[dict[str, Any]]:
    """The items of a stream as they are in the end, read independently."""
    lines = [line[6:] for line in stream.decode().splitlines() if line.startswith("data: ")]
    events = [json.loads(line) for line in lines]
    return [event["item"] for event in events if event["type"] == "response.output_item.done"]


def thoughts_in(request: ReceivedRequest) -> list[dict[str, Any]]:
    """The blocks of thinking that Anthropic was sent."""
    messages = request.json()["messages"]
    blocks = [block for message in messages for block in message["content"]]
    return [block for block in blocks if "thinking" in block["type"]]


@pytest.mark.parametrize("recording", ENCRYPTED)
async def test_encrypted_reasoning_comes_back_in_the_next_run(
    migrated_database: str, recording: Recording
) -> None:
    """In its tool turn and in the next run, the items stand as they came, in the same bytes."""
    stream = last_stream(recording.body)
    thoughts = [item for item in items_done(stream) if item["type"] == "reasoning"]

    _, tool_turn, next_run = await requests_of(migrated_database, OpenAIResponsesChatModel, stream)

    sent = tool_turn.json()["input"]
    assert [item for item in sent if item.get("type") == "reasoning"] == thoughts
    written = json.dumps(sent, separators=(",", ":"), ensure_ascii=False)[:-1].encode()
    assert written in tool_turn.body
    assert written in next_run.body


async def test_signed_thinking_of_a_tool_turn_comes_back_in_the_next_run(
    migrated_database: str,
) -> None:
    """In its place before the call, with its signature."""
    message = recorded_message()
    thoughts = [block for block in message["content"] if block["type"] == "thinking"]

    _, *requests = await requests_of(migrated_database, AnthropicChatModel, streamed(message).body)

    assert [thoughts_in(each) for each in requests] == [thoughts, thoughts]
    assert all(json.dumps(thoughts[0]["signature"]).encode() in each.body for each in requests)


@pytest.mark.parametrize("recording", THINKING)
async def test_recorded_thinking_comes_back_in_the_next_run(
    migrated_database: str, recording: Recording
) -> None:
    """Signed and redacted blocks of an answer without calls, too."""
    blocks = recording.facts["expected_sdk"]["content"]
    thoughts = [block for block in blocks if "thinking" in block["type"]]

    _, next_run = (await requests_of(migrated_database, AnthropicChatModel, recording.body))[:2]

    assert thoughts_in(next_run) == thoughts
