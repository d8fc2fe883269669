"""Images that a model has made are parts of the messages of a result, wherever these are kept."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Allowed,
    AssistantMessage,
    Attachment,
    ChatRequest,
    Content,
    GuardResult,
    OutputGuard,
    OutputGuardRequest,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
    RunFinished,
    Text,
    UserMessage,
)
from arc_core.forms import from_json, to_json
from arc_core.messages.content import get_attachments
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.conversations.sql.database import SCHEMA, conversation_address
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_core.leaving_runs import leave_run_before
from tests.wire.agents import agent, get_weather
from tests.wire.models import VendorModel, asking
from tests.wire.recorded import GEMINI, Recording, parameters_of
from tests.wire.scripts import content, content_events, text_reply
from tests.wire.test_recorded_gemini import answer_to

EITHER = pytest.mark.parametrize("streaming", [False, True], ids=["complete", "stream"])
IMAGES = [each for each in GEMINI if "_image_" in each.file]
DATA = re.compile(rb'"data":\s*"([^"]+)"')
CAT, DOG = b"\x89PNG\r\n\x1a\n cat", b"\xff\xd8\xff dog"


def inline(media_type: str, data: bytes, **more: Any) -> dict[str, Any]:
    """A part of Gemini's."""
    blob = {"mimeType": media_type, "data": base64.b64encode(data).decode()}
    return {"inlineData": blob, **more}


PARTS = [
    {"text": "One: "},
    inline("image/png", CAT, thoughtSignature="c2lnbmVk"),
    {"text": "two: "},
    inline("image/jpeg", DOG),
]
SAID = (Text("One: "), Attachment("image/png", CAT), Text("two: "), Attachment("image/jpeg", DOG))
DRAFT = inline("image/png", b"a draft", thought=True)
CALL = {"functionCall": {"id": "c1", "name": "get_weather", "args": {"city": "Seoul"}}}


def reply_of(*parts: dict[str, Any], streaming: bool) -> Reply:
    """An answer of these parts, whole or in a chunk for each."""
    if not streaming:
        return Reply.json(content(*parts, finishReason="STOP"))
    chunks = [content(part) for part in parts]
    return Reply.events(content_events(*chunks, content(finishReason="STOP")))


async def run(app: Any, *, streaming: bool) -> AgentResult:
    """The result of a run in Ann's session."""
    command = AgentCommand(user_prompt="Draw them.", session_id="s", user_id="ann")
    if not streaming:
        result: AgentResult = await app.execute(command)
        return result
    events = [event async for event in app.stream_events(command)]
    return next(event.result for event in events if isinstance(event, RunFinished))


def content_of(result: AgentResult) -> Content:
    """The content of the answer."""
    answer = result.messages[-1]
    assert isinstance(answer, AssistantMessage)
    return answer.content


@pytest.mark.parametrize("recording", parameters_of(IMAGES))
async def test_recorded_images_are_parts_of_the_answer(recording: Recording) -> None:
    """To the byte, beside the text if there is any."""
    recorded = [base64.b64decode(each) for each in DATA.findall(recording.body)]

    message = (await answer_to(recording)).message

    assert [each.data for each in get_attachments(message.content)] == recorded
    assert {each.media_type for each in get_attachments(message.content)} == {"image/png"}
    assert message.text == recording.facts["said"]["text"]


@EITHER
async def test_images_stand_where_they_came(*, streaming: bool) -> None:
    """Between the texts, in the result, and in its JSON form; drafts are thoughts and left out."""
    reply = reply_of(DRAFT, *PARTS, streaming=streaming)
    async with VendorServer(reply) as server, agent(server, GeminiChatModel) as app:
        result = await run(app, streaming=streaming)

    assert result.content == "One: two: "
    assert content_of(result) == SAID
    assert from_json(to_json(result), AgentResult) == result


@EITHER
async def test_an_image_alone_is_an_answer(*, streaming: bool) -> None:
    """Without a word."""
    reply = reply_of(PARTS[1], streaming=streaming)
    async with VendorServer(reply) as server, agent(server, GeminiChatModel) as app:
        result = await run(app, streaming=streaming)

    assert (result.success, result.content) == (True, "")
    assert content_of(result) == SAID[1:2]


@EITHER
@pytest.mark.parametrize("parts", [PARTS, PARTS[1:2]], ids=["with text", "alone"])
@pytest.mark.parametrize("is_on_disk", [False, True], ids=["memory", "sqlite"])
async def test_a_session_sends_images_back_as_they_came(
    tmp_path: Path, parts: list[dict[str, Any]], *, streaming: bool, is_on_disk: bool
) -> None:
    """With their signatures, so that the model can go on with them."""
    settings: dict[str, Any] = {}
    if is_on_disk:
        address = f"sqlite:///{tmp_path}/conversations.db"
        await SCHEMA.upgrade(conversation_address(address))
        settings = {"conversation": {"url": address}}
    replies = [reply_of(*parts, streaming=streaming)] * 2
    async with VendorServer(*replies) as server, agent(server, GeminiChatModel, **settings) as app:
        await run(app, streaming=streaming)
        await run(app, streaming=streaming)

    assert server.requests[1].json()["contents"][1] == {"role": "model", "parts": parts}


async def test_a_durable_run_that_is_resumed_sends_them_back() -> None:
    """From the record of the turn, after the process that was answered has died."""
    reply = reply_of(*PARTS, CALL, streaming=True)
    journals, command = DictRunJournals(), AgentCommand(user_prompt="Draw them.")
    async with VendorServer(reply) as server, asking(server, GeminiChatModel) as model:
        executor = scripted_agent(model, tools=(get_weather,), run_journals=journals)
        await executor.start()
        await leave_run_before("model/2", journals, command, run_id="r1")

        server.add(reply_of({"text": "Done."}, streaming=True))
        result = await journals.take_up("r1")

    assert result.content == "Done."
    assert server.requests[1].json()["contents"][1]["parts"] == [*PARTS, CALL]


class Shouting(ResponseFilter):
    """Shouts."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        del context
        return content.upper()


class Quiet(OutputGuard):
    """Has a word left out."""

    window_chars = None

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed(re.sub("(?i)one", "***", request.text))


@EITHER
async def test_images_stay_if_filters_and_guards_change_the_text(*, streaming: bool) -> None:
    """Behind it: what is left of the texts is one."""
    executor = scripted_agent(
        ScriptedChatModel([AssistantMessage(SAID)]),
        output_guards=(Quiet(),),
        response_filter_chain=ResponseFilterChain([Shouting()]),
    )

    result = await run(executor, streaming=streaming)

    text = "***: two: " if streaming else "***: TWO: "
    assert content_of(result) == (Text(text), SAID[1], SAID[3])


@pytest.mark.parametrize(
    "model_type", [OpenAIChatModel, OpenAIResponsesChatModel, AnthropicChatModel]
)
def test_vendors_that_take_no_images_from_a_model_read_a_line(
    model_type: type[VendorModel],
) -> None:
    """In the place of each, so that they know that there was one."""
    said = AssistantMessage(SAID)
    request = ChatRequest(messages=(UserMessage("Draw."), said, UserMessage("Larger.")))

    body = json.loads(model_type(settings=LlmSettings()).encode_request(request))

    sent = json.dumps(body.get("messages") or body["input"])
    assert sent.count("Generated here: image/") == 2
    assert "One: " in sent
    assert base64.b64encode(CAT).decode() not in sent


async def test_an_answer_with_images_is_not_cached() -> None:
    """The cache keeps texts."""
    replies = [reply_of(*PARTS, streaming=False), text_reply(GeminiChatModel, "One: two: ")]
    cache = {"enabled": True, "cacheable_temperature": 1.0}
    async with VendorServer(*replies) as server, agent(server, GeminiChatModel, cache=cache) as app:
        command = AgentCommand(user_prompt="Draw them.", temperature=0.0)
        results = [await app.execute(command) for _ in range(2)]

    assert [each.cache_hit for each in results] == [False, False]
    assert len(server.requests) == 2
