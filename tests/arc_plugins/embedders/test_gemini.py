"""Gemini's embeddings on the wire."""

import pytest
from google.genai import types

from arc_core import EmbeddedKind
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.embedders.gemini import GeminiEmbedder
from tests.arc_plugins.embedders.servers import (
    ServedEmbedderConformance,
    answer_as_gemini,
    gemini_reply,
    get_gemini_texts,
    options_at,
    vector_of,
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", "g-test")


class TestConformance(ServedEmbedderConformance):
    """It is an embedder like any other."""

    embedder, answer = GeminiEmbedder, staticmethod(answer_as_gemini)


@pytest.mark.parametrize(
    ("kind", "task_type"), [("query", "RETRIEVAL_QUERY"), ("document", "RETRIEVAL_DOCUMENT")]
)
async def test_a_request_says_what_the_texts_are(kind: EmbeddedKind, task_type: str) -> None:
    """The model stands in the path and beside each text, the key in a header."""
    async with VendorServer(answer_as_gemini) as server:
        options = options_at(server.url, model="gemini-embedding-001")
        async with running(GeminiEmbedder(**options)) as embedder:
            vectors = await embedder.embed(["a", "b"], kind=kind)

    assert vectors == [vector_of("a"), vector_of("b")]
    [request] = server.requests
    assert request.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert request.headers["x-goog-api-key"] == "g-test"
    assert request.json()["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "b"}]},
        "taskType": task_type,
        "outputDimensionality": 8,
    }


async def test_a_newer_model_is_told_in_the_text() -> None:
    """It knows no types of tasks."""
    async with VendorServer(*[answer_as_gemini] * 2) as server:
        options = options_at(server.url, model="gemini-embedding-2")
        async with running(GeminiEmbedder(**options)) as embedder:
            await embedder.embed(["tea"], kind="query")
            await embedder.embed(["tea"], kind="document")

    query, document = map(get_gemini_texts, server.requests)
    assert (query, document) == (["task: search result | query: tea"], ["title: none | text: tea"])
    assert "taskType" not in server.requests[0].json()["requests"][0]


async def test_requests_and_replies_are_the_vendors() -> None:
    """By the types of Google's own package."""
    async with VendorServer(answer_as_gemini) as server:
        options = options_at(server.url, model="gemini-embedding-001")
        async with running(GeminiEmbedder(**options)) as embedder:
            await embedder.embed(["a"], kind="query")

    [item] = server.requests[0].json()["requests"]
    types.Content.model_validate(item.pop("content"))
    assert item.pop("model") == "models/gemini-embedding-001"
    types.EmbedContentConfig.model_validate(item)
    types.EmbedContentResponse.model_validate(gemini_reply(["a"]))


async def test_a_request_has_a_hundred_texts_at_most() -> None:
    """More are refused."""
    async with (
        VendorServer(*[answer_as_gemini] * 3) as server,
        running(GeminiEmbedder(**options_at(server.url))) as embedder,
    ):
        vectors = await embedder.embed([str(number) for number in range(250)], kind="document")

    assert [len(get_gemini_texts(each)) for each in server.requests] == [100, 100, 50]
    assert vectors == [vector_of(str(number)) for number in range(250)]
