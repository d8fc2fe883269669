"""Every recorded error maps to the type that says what to do about it."""

import json

import pytest

from arc_core import (
    AuthenticationError,
    InvalidRequestError,
    ModelError,
    ModelOverloadedError,
)
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.wire.answers import QUESTION, whole
from tests.wire.models import asking, model_type_of
from tests.wire.recorded import EVERY_ERROR, Recording

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
