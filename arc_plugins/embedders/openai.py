"""Embeddings of OpenAI's, and of every server that has its `/embeddings`.

Pick it for OpenAI's models, and with `embedder.base_url` for models of one's own: Ollama, vLLM,
llama.cpp, Text Embeddings Inference, and gateways. Costs a request for 128 texts.
"""

import os
import sys
from array import array
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import AgentMetrics, EmbeddedKind, InvalidResponseError, Logger, ModelPrices
from arc_core.settings import EmbedderSettings, LlmSettings, RetrySettings
from arc_core.wire import json_bytes
from arc_core.wire.embedding_errors import embedding_errors
from arc_core.wire.http_embedder import EmbeddingReply, EmbeddingVendor, HttpEmbedder
from arc_plugins.embedders import ToolEmbeddingSettings

_ACCOUNTS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    # Models of others, as their servers call them.
    "all-minilm": 384,
    "bge-m3": 1024,
    "embeddinggemma": 768,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
    "BAAI/bge-m3": 1024,
    "nomic-ai/nomic-embed-text-v1.5": 768,
    "sentence-transformers/all-MiniLM-L6-v2": 384,
}


class OpenAIEmbedder(HttpEmbedder):
    """Asks OpenAI, or a compatible server, which needs no key if it asks for none.

    Settings: `embedder.*`; the address comes from `embedder.base_url`, else from `OPENAI_BASE_URL`,
    the key from `embedder.api_key`, else from `OPENAI_API_KEY`.
    """

    vendor = EmbeddingVendor(
        title="OpenAI",
        address="https://api.openai.com/v1",
        address_variable="OPENAI_BASE_URL",
        key_variables=("OPENAI_API_KEY",),
        default_model="text-embedding-3-small",
        dimensions=_DIMENSIONS,
        errors=embedding_errors("openai"),
    )

    def make_headers(self, key: str) -> Mapping[str, str]:
        """The key, and what an account with several organizations or projects sets beside it."""
        accounts = {name: os.environ.get(each, "").strip() for name, each in _ACCOUNTS.items()}
        key_header = {"Authorization": f"Bearer {key}"} if key else {}
        return key_header | {name: value for name, value in accounts.items() if value}

    def complete_address(self, address: str) -> str:
        """As it is written."""
        return address.rstrip("/")

    def get_path(self) -> str:
        """The same for all models."""
        return "/embeddings"

    def encode(self, texts: Sequence[str], kind: EmbeddedKind) -> bytes:
        """Queries and documents are embedded alike; in base64, numbers are a quarter as long."""
        body: dict[str, Any] = {"model": self.name, "input": texts, "encoding_format": "base64"}
        shortened = self.get_shortened_dimensions()
        if shortened is not None:
            body["dimensions"] = shortened
        return json_bytes(body)

    def decode(self, payload: Any) -> EmbeddingReply:
        """The vectors by their index, however the server orders them."""
        data = enumerate(payload["data"])
        items = {item.get("index", place): item["embedding"] for place, item in data}
        usage = payload.get("usage")
        tokens = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
        return EmbeddingReply(
            vectors=[_read_vector(items[index]) for index in sorted(items)],
            tokens=tokens if type(tokens) is int else None,
        )


def _read_vector(vector: Any) -> Any:
    """The numbers of a vector, which some servers send as numbers in spite of what was asked."""
    if not isinstance(vector, str):
        return vector
    try:
        numbers = array("f", b64decode(vector, validate=True))
    except ValueError as error:
        raise InvalidResponseError(
            "openai: a vector came that is not the base64 of 32-bit numbers"
        ) from error
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def make_openai_embedder(
    *,
    settings: EmbedderSettings,
    tools: ToolEmbeddingSettings,
    llm: LlmSettings,
    retry: RetrySettings,
    metrics: AgentMetrics,
    prices: ModelPrices,
    logger: Logger,
) -> OpenAIEmbedder:
    """The embedder of the settings, those of `tools` among them if there is no provider."""
    if settings.provider is None:
        if tools.embedding_model is not None or tools.embedding_base_url is not None:
            logger.warning(
                "tools.embedding_model and tools.embedding_base_url are deprecated: set "
                'embedder.provider to "openai", embedder.model and embedder.base_url'
            )
        settings = settings.model_copy(
            update={
                "model": settings.model or tools.embedding_model,
                "base_url": settings.base_url or tools.embedding_base_url or llm.base_url,
            }
        )
    return OpenAIEmbedder(settings=settings, llm=llm, retry=retry, metrics=metrics, prices=prices)
