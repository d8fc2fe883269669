"""OpenAI's embeddings on the wire, and those of compatible servers."""

from typing import Any

import pytest
from openai.types import CreateEmbeddingResponse, EmbeddingCreateParams
from pydantic import TypeAdapter
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import ConfigurationError
from arc_core.settings import EmbedderSettings, LlmSettings, RetrySettings
from arc_core.testing.conformance.components import running
from arc_core.testing.fakes import FixedModelPrices, RecordingMetrics
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.embedders import ToolEmbeddingSettings
from arc_plugins.embedders.openai import OpenAIEmbedder, make_openai_embedder
from tests.arc_plugins.embedders.servers import (
    ServedEmbedderConformance,
    answer_as_openai,
    openai_reply,
    options_at,
    vector_of,
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


class TestConformance(ServedEmbedderConformance):
    """It is an embedder like any other."""

    embedder, answer = OpenAIEmbedder, staticmethod(answer_as_openai)


async def test_vectors_come_in_the_order_of_the_texts() -> None:
    """Whatever order the server answers in; the model and the key are sent."""
    async with (
        VendorServer(answer_as_openai) as server,
        running(OpenAIEmbedder(**options_at(f"{server.url}/v1/"))) as embedder,
    ):
        vectors = await embedder.embed(["a", "b", "c"], kind="document")

    assert vectors == [vector_of(text) for text in "abc"]
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.json() == {"model": "m", "input": ["a", "b", "c"], "encoding_format": "base64"}


async def test_a_server_may_answer_with_numbers() -> None:
    """In spite of what it was asked for, as older servers do."""
    async with (
        VendorServer(Reply.json(openai_reply(["a", "b"]))) as server,
        running(OpenAIEmbedder(**options_at(server.url))) as embedder,
    ):
        assert await embedder.embed(["a", "b"], kind="query") == [vector_of("a"), vector_of("b")]


async def test_an_account_may_have_several_organizations(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for chat models, by the variables of OpenAI's own package."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", " ")
    async with (
        VendorServer(answer_as_openai) as server,
        running(OpenAIEmbedder(**options_at(server.url))) as embedder,
    ):
        await embedder.embed(["a"], kind="query")

    headers = server.requests[0].headers
    assert headers["openai-organization"] == "org-1"
    assert "openai-project" not in headers


async def test_requests_and_replies_are_the_vendors() -> None:
    """By the types of OpenAI's own package."""
    async with VendorServer(answer_as_openai) as server:
        options = options_at(server.url, model="text-embedding-3-large")
        async with running(OpenAIEmbedder(**options)) as embedder:
            await embedder.embed(["a"], kind="query")

    body = server.requests[0].json()
    assert body["dimensions"] == 8
    assert TypeAdapter(EmbeddingCreateParams).validate_python(body) == body
    CreateEmbeddingResponse.model_validate(openai_reply(["a"]), strict=True)


@pytest.mark.parametrize(
    ("model", "dimensions", "known"),
    [
        (None, None, ("text-embedding-3-small", 1536)),
        ("text-embedding-3-large", None, ("text-embedding-3-large", 3072)),
        ("text-embedding-3-large", 256, ("text-embedding-3-large", 256)),
        ("of-my-own", 12, ("of-my-own", 12)),
    ],
)
def test_the_vectors_are_known_before_the_start(
    model: str | None, dimensions: int | None, known: tuple[str, int]
) -> None:
    """By a table, or by the settings."""
    embedder = OpenAIEmbedder(**options_at("http://h", model=model, dimensions=dimensions))

    assert (embedder.name, embedder.dimensions) == known


def test_a_model_that_is_not_known_needs_dimensions() -> None:
    """The error says what to set."""
    with pytest.raises(ConfigurationError, match=r"set embedder\.dimensions"):
        OpenAIEmbedder(**options_at("http://h", dimensions=None))


async def test_no_key_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to set."""
    monkeypatch.delenv("OPENAI_API_KEY")
    embedder = OpenAIEmbedder(**options_at("http://h", base_url=None))

    with pytest.raises(ConfigurationError, match=r"set OPENAI_API_KEY or embedder\.api_key"):
        await embedder.start()


@pytest.mark.parametrize("key", [None, "sk-own"])
async def test_a_server_of_ones_own_gets_the_key_that_is_set(
    monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    """Local models ask for none."""
    monkeypatch.delenv("OPENAI_API_KEY")

    async with VendorServer(answer_as_openai) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        options = options_at("", base_url=None, api_key=key)
        async with running(OpenAIEmbedder(**options)) as embedder:
            await embedder.embed(["a"], kind="query")

    expected = None if key is None else f"Bearer {key}"
    assert server.requests[0].headers.get("authorization") == expected


def make_by(
    log: CapturingLogger, *, embedder: dict[str, Any], tools: dict[str, Any], llm_url: str
) -> OpenAIEmbedder:
    """The embedder that some settings make."""
    return make_openai_embedder(
        settings=EmbedderSettings(**embedder),
        tools=ToolEmbeddingSettings(**tools),
        llm=LlmSettings(base_url=llm_url),
        retry=RetrySettings(),
        metrics=RecordingMetrics(),
        prices=FixedModelPrices({}),
        logger=BoundLogger(log, [], {}),
    )


@pytest.mark.parametrize("setting", ["embedding_base_url", "base_url"])
async def test_settings_of_the_tools_count_without_a_provider(setting: str) -> None:
    """`tools.embedding_base_url`, else `llm.base_url`; the deprecated ones are told."""
    log, dead = CapturingLogger(), "http://127.0.0.1:9"
    async with VendorServer(answer_as_openai) as server:
        is_own = setting == "embedding_base_url"
        tools = {"embedding_model": "mine"} | ({setting: server.url} if is_own else {})
        made = make_by(
            log, embedder={"dimensions": 8}, tools=tools, llm_url=dead if is_own else server.url
        )
        async with running(made) as embedder:
            await embedder.embed(["a"], kind="query")

    assert server.requests[0].json()["model"] == "mine"
    assert "tools.embedding_model" in log.calls[0].kwargs["event"]


def test_settings_of_the_tools_do_not_count_beside_a_provider() -> None:
    """`embedder.*` is whole."""
    log = CapturingLogger()

    embedder = make_by(
        log,
        embedder={"provider": "openai"},
        tools={"embedding_model": "mine", "embedding_base_url": "http://h"},
        llm_url="http://i",
    )

    assert embedder.name == "text-embedding-3-small"
    assert embedder.settings.base_url is None
    assert log.calls == []
