"""The Gemini model: where it asks, with which key, what it learns, and what every model does."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import pytest

from arc_core import (
    AddressedRequest,
    ChatModel,
    ChatRequest,
    ConfigurationError,
    Host,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
    ModelError,
    ModelUnavailableError,
    ReasoningEffort,
    UserMessage,
)
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.chat_model import ChatModelConformance
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from tests.arc_plugins.models.exchanges import NOT_OBJECTS, ModelWithVendor

QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
THINKING = replace(QUESTION, reasoning=ReasoningEffort.HIGH)
SAID = {
    "candidates": [{"content": {"parts": [{"text": "Good morning, Ann."}]}, "finishReason": "STOP"}]
}
ANSWER = Reply.json(SAID)
STREAM = Reply.events(f"data: {json.dumps(SAID)}\r\n\r\n".encode())
REFUSAL = Reply.json({"error": {"code": 400, "status": "INVALID_ARGUMENT"}}, status=400)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "key-of-gemini")
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)


def model_at(server: VendorServer, path: str = "", **llm: Any) -> GeminiChatModel:
    """A model that asks the server."""
    return GeminiChatModel(settings=LlmSettings(base_url=server.url + path, **llm))


async def sent_by(model: GeminiChatModel, server: VendorServer) -> ReceivedRequest:
    """The request of a question."""
    server.add(ANSWER)
    await model.complete(QUESTION)
    await model.aclose()
    return server.requests[0]


async def test_missing_credentials_are_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """With both variables."""
    monkeypatch.setenv("GEMINI_API_KEY", " ")

    with pytest.raises(ConfigurationError, match="GOOGLE_API_KEY") as caught:
        await GeminiChatModel(settings=LlmSettings()).start()

    assert "GEMINI_API_KEY" in str(caught.value)


@pytest.mark.parametrize(
    ("own", "google", "sent"),
    [(None, None, "key-of-gemini"), (None, "google", "google"), ("own", "google", "own")],
)
async def test_the_key_is_found_in_the_order_of_googles_sdk(
    server: VendorServer,
    monkeypatch: pytest.MonkeyPatch,
    own: str | None,
    google: str | None,
    sent: str,
) -> None:
    """`llm.api_key` goes before both variables."""
    if google is not None:
        monkeypatch.setenv("GOOGLE_API_KEY", google)

    request = await sent_by(model_at(server, api_key=own), server)

    assert request.headers["x-goog-api-key"] == sent


@pytest.mark.parametrize(
    ("path", "model", "asked"),
    [
        ("", "m", "/v1beta/models/m:generateContent"),
        ("/v1/", "models/m", "/v1/models/m:generateContent"),
        ("/v1beta", "tunedModels/m", "/v1beta/tunedModels/m:generateContent"),
        ("/gate", "m?a#b", "/gate/v1beta/models/m%3Fa%23b:generateContent"),
    ],
)
async def test_the_request_goes_where_it_should(
    server: VendorServer, path: str, model: str, asked: str
) -> None:
    """A base URL may be written with the version or without."""
    request = await sent_by(model_at(server, path, model=model), server)

    assert (request.method, request.path) == ("POST", asked)


async def test_a_stream_is_asked_for_as_events(server: VendorServer) -> None:
    """Without that, the vendor would send one list."""
    server.add(STREAM)
    model = model_at(server, model="m")

    _ = [delta async for delta in model.stream(QUESTION)]
    await model.aclose()

    assert server.requests[0].path == "/v1beta/models/m:streamGenerateContent?alt=sse"


async def test_an_older_model_is_asked_as_one_from_then_on(server: VendorServer) -> None:
    """What a name does not tell, a refusal does."""
    server.add(REFUSAL, ANSWER, ANSWER)
    model = model_at(server, model="tuned")

    await model.complete(THINKING)
    await model.complete(THINKING)
    await model.aclose()

    sent = [each.json()["generationConfig"]["thinkingConfig"] for each in server.requests]
    assert ["thinkingBudget" in config for config in sent] == [False, True, True]


WRONG_KEY = {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}


@pytest.mark.parametrize(
    ("request_sent", "refusal", "attempts"),
    [
        (QUESTION, REFUSAL, 1),
        (THINKING, REFUSAL, 3),
        (THINKING, Reply.json({"error": WRONG_KEY}, status=400), 1),
        (THINKING, Reply.json({}, status=503), 1),
    ],
)
async def test_what_no_dialect_mends_is_refused(
    server: VendorServer, request_sent: ChatRequest, refusal: Reply, attempts: int
) -> None:
    """It is asked once for each difference that may help; a wrong key is not mended by any."""
    server.add(*[refusal] * attempts)
    model = model_at(server)

    with pytest.raises(ModelError):
        await model.complete(request_sent)
    await model.aclose()

    assert len(server.requests) == attempts


async def test_options_stand_in_the_body(server: VendorServer) -> None:
    """Some in the configuration of the answer, others beside it."""
    options = {"top_p": 0.5, "safety_settings": []}

    request = await sent_by(model_at(server, options=options), server)

    assert request.json()["generationConfig"] == {"topP": 0.5}
    assert request.json()["safetySettings"] == []


class _Gateway(HostedModels):
    """Serves models at an address of its own."""

    added_fields: Mapping[str, Any] = {}
    omitted_fields: AbstractSet[str] = frozenset({"model"})
    request_id_headers = ()
    fetches_addresses = True

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    async def address(self, request: HostedRequest) -> AddressedRequest:
        url = f"{self.base_url}/gate/{request.model}?stream={request.is_streamed}"
        return AddressedRequest(url=url, headers={"authorization": "Bearer token"})

    def open_frames(self, content_type: str) -> None:
        del content_type

    def explain(self, failure: HostFailure) -> HostExplanation:
        del failure
        return HostExplanation()


class _GatewayHost(Host):
    name = "gateway"

    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        assert api == "gemini"
        return _Gateway(settings.base_url or "http://127.0.0.1:9")  # where nothing listens


async def test_a_host_is_asked_in_the_place_of_the_vendor(server: VendorServer) -> None:
    """At its address, with its credentials, and without the vendor's key."""
    server.add(ANSWER, STREAM)
    settings = LlmSettings(host="gateway", base_url=server.url, model="m")
    model = GeminiChatModel(settings=settings, hosts=(_GatewayHost(),))

    await model.complete(QUESTION)
    _ = [delta async for delta in model.stream(QUESTION)]
    await model.aclose()

    paths = [request.path for request in server.requests]
    assert paths == ["/gate/m?stream=False", "/gate/m?stream=True"]
    assert server.requests[0].headers["authorization"] == "Bearer token"
    assert "x-goog-api-key" not in server.requests[0].headers


async def test_an_address_of_a_region_is_corrected_by_the_region() -> None:
    """The host has made the address of it, and no setting has another one."""
    settings = LlmSettings(host="gateway", region="nowhere-1", model="m")
    model = GeminiChatModel(settings=settings, hosts=(_GatewayHost(),))

    with pytest.raises(ModelUnavailableError, match=r"or correct llm\.region\Z"):
        await model.complete(QUESTION)
    await model.aclose()


@pytest.mark.parametrize("body", NOT_OBJECTS)
def test_what_is_not_an_answer_is_an_error(body: bytes) -> None:
    """Of whatever kind; the model translates it."""
    model = GeminiChatModel(settings=LlmSettings())

    with pytest.raises((ValueError, AttributeError, LookupError)):
        model.decode(body)


class _LocalVendor(ModelWithVendor, GeminiChatModel):
    """A model of Gemini's with its vendor."""


class TestConformance(ChatModelConformance):
    """What the engine relies on."""

    def make_model(self) -> ChatModel:
        return _LocalVendor(ANSWER, STREAM)

    def make_failing_model(self) -> ChatModel:
        failure = Reply.json({"error": {"code": 500, "message": "down"}}, status=500)
        return _LocalVendor(failure, failure)
