"""Attachments, as the vendors' own types demand them, and a run with some at each of them."""

import base64
import json
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParams
from openai.types.chat.completion_create_params import CompletionCreateParams
from pydantic import TypeAdapter, ValidationError

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    ChatRequest,
    InvalidRequestError,
    ReasoningEffort,
    tool,
)
from arc_core.interfaces.optional import AcceptsAttachments
from arc_core.messages import AssistantMessage, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment, Content, Text
from arc_core.settings import LlmSettings
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.models.openai.responses.answers import message, response
from tests.attached_files import IMAGE, PDF, SOUND, TEXT
from tests.wire.models import VendorModel

CALL = ToolCall("call_1", "draw", "{}")
ONLINE = Attachment("image/png", url="https://a.example/cat.png")


@tool
def draw() -> str:
    """Draws."""
    return ""


def request_with(content: Content) -> ChatRequest:
    """Attachments of the user and of a tool, and all else that a request may have."""
    results = ToolResultMessage((ToolResult("call_1", "draw", content),))
    return ChatRequest(
        messages=(UserMessage(content), AssistantMessage("", (CALL,)), results),
        system_prompt="Be brief.",
        tools=(draw,),
        reasoning=ReasoningEffort.LOW,
        max_output_tokens=2000,
        cache_key="session",
        stable_messages=3,
    )


def body_of(model: VendorModel, *content: Text | Attachment) -> Any:
    """The body of a request, as the vendor reads it."""
    dialect: Any = model.dialect_of("api.openai.com")
    body = model.encode(request_with(content), model="m", dialect=dialect, stream=False)
    return json.loads(body)


def check(params: Any, body: Any) -> None:
    """Have the SDK's own types read a body; pydantic checks an `Iterable` only when it is read."""
    adapter = TypeAdapter(params)  # must live as long as what it gives is read
    read_all(adapter.validate_python(body))


def read_all(value: Any) -> None:
    """Read every part of a value."""
    if isinstance(value, str | int | float | None):
        return
    for part in value.values() if isinstance(value, dict) else value:
        read_all(part)


def encoded(attachment: Attachment) -> str:
    """Its bytes in base64."""
    return base64.b64encode(attachment.data or b"").decode()


@pytest.fixture
def openai_model() -> OpenAIChatModel:
    """OpenAI's."""
    return OpenAIChatModel(settings=LlmSettings())


@pytest.fixture
def anthropic_model() -> AnthropicChatModel:
    """Anthropic's."""
    return AnthropicChatModel(settings=LlmSettings())


def test_models_say_what_they_take(
    openai_model: OpenAIChatModel, anthropic_model: AnthropicChatModel
) -> None:
    """The engine asks before it sends."""
    types = ("image/webp", "application/pdf", "text/csv", "audio/mpeg", "image/tiff")

    for model, takes_sounds in ((openai_model, True), (anthropic_model, False)):
        assert isinstance(model, AcceptsAttachments)
        assert [model.accepts(each) for each in types] == [True, True, True, takes_sounds, False]


@pytest.mark.parametrize(
    "model_type", [OpenAIChatModel, AnthropicChatModel, OpenAIResponsesChatModel, GeminiChatModel]
)
@pytest.mark.parametrize("media_type", ["image/png", "application/pdf", "audio/wav", "text/plain"])
def test_models_say_what_is_fetched(model_type: Any, media_type: str) -> None:
    """What they say of an address is what becomes of it."""
    model = model_type(settings=LlmSettings())

    try:
        body_of(model, Attachment(media_type, url="https://a.example/a"))
        is_sent = True
    except InvalidRequestError:
        is_sent = False

    assert model.accepts_address(media_type) is is_sent


@pytest.mark.parametrize("part", [IMAGE, ONLINE, PDF, SOUND, TEXT])
def test_bodies_for_openai_are_what_its_sdk_says(
    openai_model: OpenAIChatModel, part: Attachment
) -> None:
    """Types of the SDK's own read them."""
    body = body_of(openai_model, Text("What is it?"), part)

    check(CompletionCreateParams, body)


@pytest.mark.parametrize(
    "part", [IMAGE, ONLINE, PDF, TEXT, Attachment("application/pdf", url="https://a.example/a.pdf")]
)
def test_bodies_for_anthropic_are_what_its_sdk_says(
    anthropic_model: AnthropicChatModel, part: Attachment
) -> None:
    """Types of the SDK's own read them."""
    body = body_of(anthropic_model, Text("What is it?"), part)

    check(MessageCreateParams, body)


def test_openai_gets_parts(openai_model: OpenAIChatModel) -> None:
    """Bytes as data addresses and base64; a text as one, under its name."""
    body = body_of(openai_model, Text("What is it?"), IMAGE, ONLINE, PDF, SOUND, TEXT)

    _, image, online, pdf, sound, text = body["messages"][1]["content"]
    assert image["image_url"]["url"] == f"data:image/png;base64,{encoded(IMAGE)}"
    assert online["image_url"]["url"] == ONLINE.url
    file = {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{encoded(PDF)}"}
    assert pdf["file"] == file
    assert sound["input_audio"] == {"data": encoded(SOUND), "format": "wav"}
    assert text == {"type": "text", "text": "[a.txt]\n안녕"}


@pytest.mark.parametrize(
    "params", [CompletionCreateParams, MessageCreateParams], ids=["openai", "anthropic"]
)
def test_the_types_of_the_sdks_refuse_what_is_wrong(params: Any) -> None:
    """Deep inside, too: else the tests above would show nothing."""
    content = [{"type": "image", "source": {"type": "base64"}}]
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": content}]}

    with pytest.raises(ValidationError):
        check(params, body)


def test_anthropic_gets_blocks(anthropic_model: AnthropicChatModel) -> None:
    """Images and documents, by their bytes or their address."""
    body = body_of(anthropic_model, Text("What is it?"), IMAGE, ONLINE, PDF, TEXT)

    _, image, online, pdf, text = body["messages"][0]["content"]
    source = {"type": "base64", "media_type": "image/png", "data": encoded(IMAGE)}
    assert image["source"] == source
    assert online["source"] == {"type": "url", "url": ONLINE.url}
    assert (pdf["source"]["data"], pdf["title"]) == (encoded(PDF), "a.pdf")
    assert text["source"] == {"type": "text", "media_type": "text/plain", "data": "안녕"}


def test_what_a_tool_attaches_stands_in_its_result(anthropic_model: AnthropicChatModel) -> None:
    """Anthropic takes it there, and the mark of the cache beside it."""
    body = body_of(anthropic_model, Text("A cat:"), IMAGE)

    [result] = body["messages"][2]["content"]
    assert [block["type"] for block in result["content"]] == ["text", "image"]
    assert "cache_control" in result


def test_what_a_tool_attaches_follows_the_results(openai_model: OpenAIChatModel) -> None:
    """OpenAI takes only texts in results, which say where the rest is."""
    body = body_of(openai_model, Text("A cat:"), IMAGE)

    result, attached = body["messages"][3:]
    assert result["content"] == "A cat:\n[1 attached, in the message after the results]"
    assert (attached["role"], len(attached["content"])) == ("user", 2)
    assert attached["content"][0]["text"] == "Attached to the result of draw (call_1):"


@pytest.mark.parametrize("media_type", ["application/pdf", "audio/wav", "text/plain"])
def test_what_is_not_fetched_is_refused_by_name(
    openai_model: OpenAIChatModel, media_type: str
) -> None:
    """OpenAI's API fetches images only."""
    attachment = Attachment(media_type, url="https://a.example/a", name="my file")

    with pytest.raises(InvalidRequestError, match=r"my file .* cannot be sent by its") as caught:
        body_of(openai_model, attachment)

    assert caught.value.code is AgentErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    ("model_type", "answer"),
    [
        (OpenAIChatModel, {"choices": [{"index": 0, "message": {"content": "A cat."}}]}),
        (AnthropicChatModel, {"content": [{"type": "text", "text": "A cat."}]}),
        (GeminiChatModel, {"candidates": [{"content": {"parts": [{"text": "A cat."}]}}]}),
        (OpenAIResponsesChatModel, response(message("A cat."))),
    ],
)
async def test_a_run_is_answered_about_an_image_and_a_pdf(
    monkeypatch: pytest.MonkeyPatch, model_type: type[VendorModel], answer: dict[str, Any]
) -> None:
    """The vendor gets both."""
    monkeypatch.setenv(model_type.vendor.key_variable, "sk-test")
    command = AgentCommand(user_prompt="What is it?", attachments=(IMAGE, PDF))

    async with VendorServer(Reply.json(answer)) as server:
        model = model_type(settings=LlmSettings(base_url=server.url))
        result = await scripted_agent(model).execute(command)
        await model.aclose()

    assert result.content == "A cat."
    sent = server.requests[0].body.decode()
    assert [encoded(each) in sent for each in (IMAGE, PDF)] == [True, True]
