"""Embeddings from OpenAI, and from every server that speaks its API.

The key comes from `OPENAI_API_KEY`; a server at a base URL needs none if it asks for none.
"""

import os
from collections.abc import Sequence

import openai

from arc_core import ConfigurationError, Logger
from arc_core.settings import LlmSettings
from arc_core.wire.guarded_client import GuardedClient, explain_unreadable_address
from arc_plugins.selectors.semantic.selector import SemanticToolSelector, ToolEmbedder, Vector
from arc_plugins.selectors.settings import SelectionSettings

_KEY_VARIABLE = "OPENAI_API_KEY"
_MAX_CHARS = 8_000
_MAX_TEXTS = 512
_MAX_REPLY_BYTES = 33_554_432


class OpenAIEmbedder(ToolEmbedder):
    """Asks `/embeddings`; each text counts by its first 8 000 characters."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        timeout_s: float = 10.0,
        max_reply_bytes: int = _MAX_REPLY_BYTES,
    ) -> None:
        self._model, self._base_url, self._timeout_s = model, base_url, timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._client: openai.AsyncOpenAI | None = None

    async def start(self) -> None:
        """Make the client, for this event loop."""
        key = os.environ.get(_KEY_VARIABLE, "").strip()
        if not key and self._base_url is None:
            raise ConfigurationError(
                "tools.selector is 'semantic', and there is no key for its embeddings",
                evidence=[f"{_KEY_VARIABLE} is not set", "tools.embedding_base_url is not set"],
                remedy=f"set {_KEY_VARIABLE}, or tools.embedding_base_url for another server, "
                "or tools.selector to 'lexical', which needs none",
            )
        with explain_unreadable_address("tools.embedding_base_url"):
            self._client = openai.AsyncOpenAI(
                api_key=key or "none",
                base_url=self._base_url,
                max_retries=0,
                timeout=self._timeout_s,
                http_client=_HttpClient(
                    max_reply_bytes=self._max_reply_bytes, setting="tools.embedding_base_url"
                ),
            )

    async def aclose(self) -> None:
        """Close all connections; may be started again."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """A vector for each text, in their order, however the server orders them."""
        if self._client is None:
            await self.start()
        assert self._client is not None
        vectors: list[Vector] = []
        for begin in range(0, len(texts), _MAX_TEXTS):
            response = await self._client.embeddings.create(
                model=self._model,
                input=[text[:_MAX_CHARS] or " " for text in texts[begin : begin + _MAX_TEXTS]],
                encoding_format="float",
            )
            in_order = sorted(response.data, key=lambda item: item.index)
            vectors += [item.embedding for item in in_order]
        return vectors


class _HttpClient(GuardedClient, openai.DefaultAsyncHttpxClient):
    """The SDK's, guarded."""


def semantic_selector_with_openai(
    llm: LlmSettings, tools: SelectionSettings, logger: Logger
) -> SemanticToolSelector:
    """The selector of `tools.selector = "semantic"`."""
    embedder = OpenAIEmbedder(
        model=tools.embedding_model,
        base_url=tools.embedding_base_url or llm.base_url,
        max_reply_bytes=llm.max_reply_bytes,
    )
    return SemanticToolSelector(embedder=embedder, settings=tools, logger=logger)
