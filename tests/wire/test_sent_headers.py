"""What goes to a vendor beside the messages of a request."""

import pytest

from arc_core import ChatRequest, UserMessage
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.wire.models import EACH, VendorModel, asking
from tests.wire.scripts import text_reply

_OF_THE_MACHINE = {
    *("x-stainless-os", "x-stainless-arch", "x-stainless-runtime", "x-stainless-runtime-version"),
    *("x-stainless-lang", "x-stainless-package-version"),
}

_SMALL_MODELS = {
    OpenAIChatModel: "gpt-5.4-mini",
    OpenAIResponsesChatModel: "gpt-5.4-mini",
    AnthropicChatModel: "claude-haiku-5-5",
    GeminiChatModel: "gemini-3.8-flash",
}


@EACH
async def test_a_vendor_learns_nothing_of_the_machine(model_type: type[VendorModel]) -> None:
    """The SDK's headers of system and Python are left out; the credentials are there."""
    request = ChatRequest(messages=(UserMessage("Hello"),))
    async with (
        VendorServer(text_reply(model_type, "Hi.")) as server,
        asking(server, model_type) as model,
    ):
        await model.complete(request)

    sent = server.requests[0].headers
    assert _OF_THE_MACHINE.isdisjoint(sent)
    assert sent["content-type"] == "application/json"
    assert {"authorization", "x-api-key", "x-goog-api-key"} & sent.keys()


@EACH
@pytest.mark.parametrize(
    ("asked", "configured", "sent"), [("a", "b", "a"), (None, "b", "b"), (None, None, None)]
)
async def test_the_request_names_the_model(
    model_type: type[VendorModel], asked: str | None, configured: str | None, sent: str | None
) -> None:
    """The run's, else the configured one, else a small one."""
    async with (
        VendorServer(text_reply(model_type, "Hi.")) as server,
        asking(server, model_type, model=configured) as model,
    ):
        await model.complete(ChatRequest(messages=(UserMessage("Hello"),), model=asked))

    expected = sent or _SMALL_MODELS[model_type]
    received = server.requests[0]
    if model_type is GeminiChatModel:
        assert received.path == f"/v1/models/{expected}:generateContent"
    else:
        assert received.json()["model"] == expected
