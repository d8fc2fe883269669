"""Vendors of embeddings on loopback, and their vectors."""

import struct
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest_asyncio

from arc_core import Embedder
from arc_core.settings import EmbedderSettings, LlmSettings, RetrySettings
from arc_core.testing.conformance.models.embedder import EmbedderConformance
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer

DIMENSIONS = 8


def vector_of(text: str) -> list[float]:
    """Equal texts have equal vectors."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return [byte - 127.5 for byte in digest[:DIMENSIONS]]


def in_base64(vector: Sequence[float]) -> str:
    """As 32-bit numbers, the low byte first."""
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def openai_reply(
    texts: Sequence[str], *, tokens: int = 7, is_in_base64: bool = False
) -> dict[str, Any]:
    """As OpenAI writes it, but with the last vector first."""
    items = [
        {
            "object": "embedding",
            "index": index,
            "embedding": in_base64(vector_of(text)) if is_in_base64 else vector_of(text),
        }
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": "m", "data": items[::-1], "usage": usage}


def answer_as_openai(request: ReceivedRequest) -> Reply:
    """A vector for each text, written as it is asked for."""
    body = request.json()
    is_in_base64 = body["encoding_format"] == "base64"
    return Reply.json(openai_reply(body["input"], is_in_base64=is_in_base64))


def get_gemini_texts(request: ReceivedRequest) -> list[str]:
    """The texts of a request."""
    return [each["content"]["parts"][0]["text"] for each in request.json()["requests"]]


def gemini_reply(texts: Sequence[str], *, tokens: int = 7) -> dict[str, Any]:
    """As Gemini writes it."""
    return {
        "embeddings": [{"values": vector_of(text)} for text in texts],
        "usageMetadata": {"promptTokenCount": tokens},
    }


def answer_as_gemini(request: ReceivedRequest) -> Reply:
    """A vector for each text."""
    return Reply.json(gemini_reply(get_gemini_texts(request)))


def options_at(url: str, *, llm: LlmSettings | None = None, **embedder: Any) -> dict[str, Any]:
    """The options of an embedder at an address, for vectors of eight numbers."""
    settings: dict[str, Any] = {"model": "m", "dimensions": DIMENSIONS, "base_url": url, **embedder}
    return {
        "settings": EmbedderSettings(**settings),
        "llm": llm or LlmSettings(),
        "retry": RetrySettings(),
    }


class ServedEmbedderConformance(EmbedderConformance):
    """The rules, for an embedder whose vendor is on loopback.

    Attributes:
        embedder: The class of it.
        answer: What the vendor answers to a request.
    """

    embedder: Callable[..., Embedder]
    answer: Callable[[ReceivedRequest], Reply]

    @pytest_asyncio.fixture(autouse=True)
    async def _serve(self) -> AsyncIterator[None]:
        async with VendorServer(*[self.answer] * 100) as self.server:
            yield

    def make_embedder(self) -> Embedder:
        """A new one, not started."""
        return self.embedder(**options_at(self.server.url))
