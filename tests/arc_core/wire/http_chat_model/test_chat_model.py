"""A chat model over HTTP, of a vendor that has no SDK."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from arc_core import (
    ChatModel,
    ChatRequest,
    ConfigurationError,
    InvalidRequestError,
    InvalidResponseError,
    ModelOverloadedError,
    UserMessage,
)
from arc_core.interfaces.optional import ChecksHealth, Health, HealthStatus
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from tests.arc_core.wire.http_chat_model.acme import KEY_VARIABLE, AcmeChatModel

QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
WARM = ChatRequest(messages=QUESTION.messages, temperature=1)
ANSWER = Reply.json({"text": "Hello"})
STREAM = Reply.events(b'data: {"text":"Hel"}\n\ndata: {"text":"lo"}\n\ndata: {"end":true}\n\n')
REFUSAL = Reply.json({"error": "no"}, status=400)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, " sk-acme ")


@pytest.fixture
async def server() -> AsyncIterator[VendorServer]:
    """A vendor on loopback."""
    async with VendorServer() as server:
        yield server


@pytest.fixture
async def model(server: VendorServer) -> AsyncIterator[AcmeChatModel]:
    """A started model that asks it."""
    model = AcmeChatModel(settings=LlmSettings(base_url=server.url, max_reply_bytes=1000))
    await model.start()
    yield model
    await model.aclose()


async def test_a_reply_of_very_many_fields_is_not_read(server: VendorServer) -> None:
    """As of 100 000 tool calls, which would hold the loop; a text may have as many as it likes."""
    calls = [{"id": "1", "name": "look", "arguments": "{}"} for _ in range(11_000)]
    text = json.dumps(calls)
    server.add(Reply.json({"text": "Hi", "calls": calls}), Reply.json({"text": text}))
    model = AcmeChatModel(settings=LlmSettings(base_url=server.url))
    await model.start()

    with pytest.raises(InvalidResponseError, match="more than 30000 fields"):
        await model.complete(QUESTION)
    answer = await model.complete(QUESTION)
    await model.aclose()

    assert answer.message.content == text


async def test_it_answers_whole_and_in_pieces(server: VendorServer, model: AcmeChatModel) -> None:
    """With the vendor's encoding, decoding and credentials alone."""
    server.add(ANSWER, STREAM)

    answer = await model.complete(QUESTION)
    pieces = [delta.text async for delta in model.stream(QUESTION)]

    assert isinstance(model, ChatModel)
    assert (answer.message.content, pieces) == ("Hello", ["Hel", "lo", None])
    assert server.requests[0].headers["x-key"] == "sk-acme"
    assert [request.json()["stream"] for request in server.requests] == [False, True]


async def test_it_names_itself_and_its_model(model: AcmeChatModel) -> None:
    """Metrics and spans ask for both."""
    assert (model.provider_name, model.default_model) == ("acme", "acme-1")


async def test_a_missing_key_is_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable and what to do."""
    monkeypatch.delenv(KEY_VARIABLE)

    with pytest.raises(ConfigurationError, match=f"Acme .* {KEY_VARIABLE} nor") as caught:
        await AcmeChatModel(settings=LlmSettings()).start()
    assert caught.value.remedy == f"set {KEY_VARIABLE} or llm.api_key to a key of your account"


async def test_what_a_model_refuses_is_left_out_from_then_on(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """One request is lost, once."""
    server.add(REFUSAL, ANSWER, ANSWER)

    await model.complete(WARM)
    await model.complete(WARM)

    assert ["temperature" in each.json() for each in server.requests] == [True, False, False]


async def test_what_was_not_the_fault_is_sent_again(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """A dialect is kept in mind only once a request in it has succeeded."""
    server.add(REFUSAL, REFUSAL, ANSWER)

    with pytest.raises(InvalidRequestError):
        await model.complete(WARM)
    await model.complete(WARM)

    assert ["temperature" in each.json() for each in server.requests] == [True, False, True]


async def test_the_same_request_is_not_sent_twice(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """Another dialect that changes nothing would be refused again."""
    server.add(REFUSAL, ANSWER)

    with pytest.raises(InvalidRequestError, match=r"asked 127[.]0[.]0[.]1"):
        await model.complete(QUESTION)

    assert len(server.requests) == 1


@pytest.mark.parametrize("streaming", [False, True])
async def test_replies_are_bounded(
    server: VendorServer, model: AcmeChatModel, *, streaming: bool
) -> None:
    """Whether they are read whole or in pieces."""
    server.add(Reply.json({"text": "x" * 1000}))

    with pytest.raises(InvalidResponseError, match="more than 1000 bytes"):
        await (whole(model) if streaming else model.complete(QUESTION))


async def whole(model: AcmeChatModel) -> list[Any]:
    """All pieces of an answer."""
    return [delta async for delta in model.stream(QUESTION)]


async def test_an_error_with_a_status_of_success_is_one(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """Its code decides."""
    server.add(Reply.json({"code": "busy", "message": "later"}))

    with pytest.raises(ModelOverloadedError, match="acme: Error: busy - later"):
        await model.complete(QUESTION)


async def test_a_cancelled_request_closes_its_connection(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """Nothing is left open behind it."""
    server.add(Reply.nothing(Ending.STALLED))
    task = asyncio.create_task(model.complete(QUESTION))
    await server.wait_until(lambda: server.finished_replies == 1)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await server.wait_until(lambda: server.open_connections == 0)


async def test_a_stream_that_is_left_closes_its_connection(
    server: VendorServer, model: AcmeChatModel
) -> None:
    """Half an answer is not read to its end."""
    server.add(STREAM.cut_off(25, Ending.STALLED))

    async with aclosing(model.stream(QUESTION)) as deltas:
        await anext(deltas)

    await server.wait_until(lambda: server.open_connections == 0)


async def test_it_checks_its_health_by_asking(server: VendorServer, model: AcmeChatModel) -> None:
    """One small question, of the configured model."""
    server.add(ANSWER, Reply.json({}, status=401))

    answers, refused = await model.check_health(), await model.check_health()

    assert isinstance(model, ChecksHealth)
    assert answers == Health(
        status=HealthStatus.OK, summary="acme answers with 5 characters", remedy=None
    )
    assert refused.summary == "acme does not answer: AuthenticationError"
    assert refused.remedy == "check llm.api_key, or the vendor's variable for its API key"
    assert server.requests[0].json()["model"] == "acme-1"


async def test_a_request_goes_where_its_model_is(server: VendorServer) -> None:
    """Some vendors name the model, and the form of the answer, in the path."""

    class ModelInPath(AcmeChatModel):
        def request_path(self, model: str, *, stream: bool) -> str:
            return f"/{model}:{'stream' if stream else 'whole'}"

    server.add(ANSWER, STREAM)
    model = ModelInPath(settings=LlmSettings(base_url=server.url))

    await model.complete(QUESTION)
    _ = [delta async for delta in model.stream(QUESTION)]
    await model.aclose()

    assert [each.path for each in server.requests] == ["/acme-1:whole", "/acme-1:stream"]


async def test_the_address_is_not_in_an_error(server: VendorServer) -> None:
    """Its path may hold a token."""
    server.add(REFUSAL)
    model = AcmeChatModel(settings=LlmSettings(base_url=f"{server.url}/hush"))

    with pytest.raises(InvalidRequestError) as caught:
        await model.complete(QUESTION)
    await model.aclose()

    assert "hush" not in f"{caught.value}{caught.value.__cause__}"
