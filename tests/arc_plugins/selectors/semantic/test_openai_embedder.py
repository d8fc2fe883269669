"""Embeddings come from a real server on loopback, through the SDK."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import openai
import pytest
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import ConfigurationError, ModelError
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.selectors.semantic.openai_embedder import (
    OpenAIEmbedder,
    semantic_selector_with_openai,
)
from arc_plugins.selectors.settings import SelectionSettings
from tests.arc_plugins.selectors.tools import catalogue


class EmbeddingServer(ThreadingHTTPServer):
    """Gives each text its length as a vector, in reverse order."""

    def __init__(self, status: int = 200) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = status
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((self.path, self.headers["authorization"], body))
        items = [
            {"object": "embedding", "index": index, "embedding": [float(len(text)), 1.0]}
            for index, text in enumerate(body["input"])
        ]
        answer = {"object": "list", "model": "m", "data": items[::-1], "usage": {}}
        content = json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def serving(status: int = 200) -> Iterator[EmbeddingServer]:
    """A server, as long as the context is open."""
    with EmbeddingServer(status) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


async def test_vectors_come_in_the_order_of_the_texts() -> None:
    """Whatever order the server answers in; the model and the key are sent."""
    with serving() as server:
        async with running(OpenAIEmbedder(model="small", base_url=server.url)) as embedder:
            vectors = await embedder.embed(["a", "bbb", "cc"])

    assert [list(vector) for vector in vectors] == [[1, 1], [3, 1], [2, 1]]
    [(path, authorization, body)] = server.requests
    assert (path, authorization) == ("/v1/embeddings", "Bearer sk-test")
    assert (body["model"], body["encoding_format"]) == ("small", "float")


async def test_many_texts_are_sent_in_parts() -> None:
    """Servers bound how many they take at once, and how long each may be."""
    with serving() as server:
        async with running(OpenAIEmbedder(model="small", base_url=server.url)) as embedder:
            vectors = await embedder.embed(["x" * 20_000, *["y"] * 600])

    assert len(vectors) == 601
    assert [len(body["input"]) for _, _, body in server.requests] == [512, 89]
    assert vectors[0][0] == 8_000


async def test_failures_lead_to_no_retry() -> None:
    """The selector goes on without; waiting for retries would hold up the run."""
    with serving(status=500) as server:
        async with running(OpenAIEmbedder(model="small", base_url=server.url)) as embedder:
            with pytest.raises(openai.InternalServerError):
                await embedder.embed(["a"])

    assert len(server.requests) == 1


async def test_no_key_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to set."""
    monkeypatch.delenv("OPENAI_API_KEY")

    with pytest.raises(ConfigurationError, match="set OPENAI_API_KEY"):
        await OpenAIEmbedder(model="small").start()


async def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local models ask for none."""
    monkeypatch.delenv("OPENAI_API_KEY")

    with serving() as server:
        async with running(OpenAIEmbedder(model="small", base_url=server.url)) as embedder:
            assert await embedder.embed(["a"])


@pytest.mark.parametrize("own_url", [True, False], ids=["own address", "that of the chat model"])
async def test_the_settings_say_where_embeddings_come_from(own_url: object) -> None:
    """`tools.embedding_base_url`, else `llm.base_url`."""
    with serving() as server:
        selector = semantic_selector_with_openai(
            llm=LlmSettings(base_url="http://127.0.0.1:9/v1" if own_url else server.url),
            tools=SelectionSettings(
                max_selected=3,
                embedding_model="mine",
                embedding_base_url=server.url if own_url else None,
            ),
            logger=BoundLogger(CapturingLogger(), [], {}),
        )
        async with running(selector):
            selected = await selector.select("Seoul weather", catalogue())

    assert len(selected) == 3
    assert {body["model"] for _, _, body in server.requests} == {"mine"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    """Prompts go where the settings say; the error says what to do."""
    async with VendorServer() as elsewhere:
        reply = Reply(status=status, headers={"location": elsewhere.url})
        async with (
            VendorServer(reply) as server,
            running(OpenAIEmbedder(model="m", base_url=server.url)) as embedder,
        ):
            with pytest.raises(ModelError, match=r"set tools\.embedding_base_url to"):
                await embedder.embed(["a"])

        assert elsewhere.requests == []


@pytest.mark.parametrize("status", [200, 500])
async def test_a_huge_reply_is_not_collected(status: int) -> None:
    """The bound counts decompressed bytes, and for errors too."""
    bomb = gzip.compress(bytes(50_000_000), compresslevel=1)
    reply = Reply(body=bomb, status=status, headers={"content-encoding": "gzip"})

    async with VendorServer(reply) as server:
        embedder = OpenAIEmbedder(model="m", base_url=server.url, max_reply_bytes=1_000_000)
        async with running(embedder):
            with pytest.raises(ModelError, match="more than 1000000 bytes"):
                await embedder.embed(["a"])
