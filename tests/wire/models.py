"""The chat models of vendors, at a loopback vendor."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arc_core import ChatResponse
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.wire.answers import QUESTION, whole

KEY = "sk-test-0123456789abcdef"

VendorModel = OpenAIChatModel | AnthropicChatModel | OpenAIResponsesChatModel | GeminiChatModel
MODELS = (OpenAIChatModel, AnthropicChatModel, OpenAIResponsesChatModel, GeminiChatModel)
EACH = pytest.mark.parametrize(
    "model_type", MODELS, ids=["openai", "anthropic", "responses", "gemini"]
)


@asynccontextmanager
async def asking(
    server: VendorServer, model_type: type[VendorModel], *, read_timeout_s: float = 30, **llm: Any
) -> AsyncIterator[VendorModel]:
    """A started model whose vendor is `server`; nothing of it is left afterwards."""
    settings = LlmSettings(base_url=f"{server.url}/v1", **llm)
    model = model_type(settings=settings, read_timeout_s=read_timeout_s)
    async with started(model, server):
        yield model


@asynccontextmanager
async def started(model: VendorModel, server: VendorServer) -> AsyncIterator[VendorModel]:
    """A model while it is started; no connection to its server is left afterwards."""
    await model.start()
    try:
        yield model
    finally:
        await model.aclose()
        await server.wait_until(lambda: server.open_connections == 0)


async def stream_in_pieces(
    body: bytes, model_type: type[VendorModel]
) -> tuple[ChatResponse, ChatResponse]:
    """The answer of a stream that comes in 500 pieces or byte by byte, and of one that is whole."""
    step = 1 + len(body) // 500
    replies = Reply.events(body, cuts=range(step, len(body), step)), Reply.events(body)
    async with VendorServer(*replies) as server, asking(server, model_type) as model:
        return await whole(model.stream(QUESTION)), await whole(model.stream(QUESTION))


def model_type_of(*, is_chat: bool) -> type[VendorModel]:
    """The model that speaks an API."""
    return OpenAIChatModel if is_chat else AnthropicChatModel
