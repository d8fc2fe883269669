"""Every recorded error maps to the type that says what to do about it."""

import json

import pytest

from arc_core import (
    AuthenticationError,
    ContextTooLongError,
    InvalidRequestError,
    ModelError,
    ModelOverloadedError,
    ModelUnavailableError,
    RateLimitError,
)
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from tests.wire.answers import QUESTION, whole
from tests.wire.models import asking, model_type_of
from tests.wire.recorded import ABSENT, EVERY_ERROR, ROOT, Recording

TYPES: dict[str, type[ModelError]] = {
    "errors/anthropic_400_3.json": InvalidRequestError,
    "errors/anthropic_400_orphan_tool_use.json": InvalidRequestError,
    "errors/anthropic_404_2.json": InvalidRequestError,
    "errors/anthropic_529_overloaded.json": ModelOverloadedError,
    "errors/azure_404_1.json": InvalidRequestError,
    "errors/deepseek_400_1.json": InvalidRequestError,
    "errors/ollama_404_1.json": InvalidRequestError,
    "errors/openai_400_10.json": InvalidRequestError,
    "errors/openai_400_2.json": InvalidRequestError,
    "errors/openai_400_5.json": InvalidRequestError,
    "errors/openai_400_7.json": InvalidRequestError,
    "errors/openai_401_8.json": AuthenticationError,
    "errors/openai_404_1.json": InvalidRequestError,
    "errors/openai_404_3.json": InvalidRequestError,
    "errors/openai_404_4.json": InvalidRequestError,
    "errors/openai_404_11.json": InvalidRequestError,
}


GOOGLES: dict[str, type[ModelError]] = {
    "gemini/error_400_1.json": AuthenticationError,
    "gemini/error_403_1.json": AuthenticationError,
    "gemini/error_404_2.json": InvalidRequestError,
    "gemini/error_429_1.json": RateLimitError,
    "gemini/made_503_overloaded.json": ModelUnavailableError,
    "vertex/error_400_10.json": InvalidRequestError,
    "vertex/error_400_9.json": ContextTooLongError,
}


@pytest.mark.skipif(not ROOT.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("status_is", ["own", "success"])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("file", GOOGLES)
async def test_googles_errors_are_read(file: str, status_is: str, *, streaming: bool) -> None:
    """Its address for Chat Completions sends them in a list of one; also with a status of 200."""
    error = json.loads((ROOT / file).read_bytes())
    status = error["error"]["code"] if status_is == "own" else 200
    body = json.dumps([error])
    reply = Reply.json([error], status=status)
    if streaming and status == 200:
        reply = Reply.events(f"data: {body}\n\n".encode())

    async with VendorServer(reply) as server, asking(server, OpenAIChatModel) as model:
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))

    assert type(caught.value) is GOOGLES[file]
    assert error["error"]["message"][:30] in str(caught.value)


@pytest.mark.skipif(not ROOT.is_dir(), reason=ABSENT)
async def test_google_says_in_the_body_when_to_retry() -> None:
    """It sends no `Retry-After`."""
    error = json.loads((ROOT / "gemini/error_429_1.json").read_bytes())
    reply = Reply.json([error], status=429)

    async with VendorServer(reply) as server, asking(server, OpenAIChatModel) as model:
        with pytest.raises(RateLimitError) as caught:
            await model.complete(QUESTION)

    assert caught.value.retry_after_s == 48


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("recording", EVERY_ERROR)
async def test_errors_have_the_right_type(recording: Recording, *, streaming: bool) -> None:
    """Status and code decide, for whole and for streamed answers alike."""
    facts = json.loads(recording.body)
    reply = Reply(body=facts["body"].encode(), status=facts["status"])
    model_type = model_type_of(is_chat=facts["provider"] != "anthropic")

    async with VendorServer(reply) as server, asking(server, model_type) as model:
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))

    assert type(caught.value) is TYPES[recording.file]
    assert len(server.requests) == 1
