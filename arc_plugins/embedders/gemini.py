"""Embeddings of Google's, through the Gemini API.

Pick it for Gemini's models, which know many languages and embed questions and documents each in
their own way. Costs a request for 100 texts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import EmbeddedKind, errors
from arc_core.wire import json_bytes
from arc_core.wire.embedding_errors import embedding_errors
from arc_core.wire.http_embedder import EmbeddingReply, EmbeddingVendor, HttpEmbedder

_ENDS_WITH_VERSION = re.compile(r"/v\d\w*\Z")
_TASK_TYPES = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
_INSTRUCTED = frozenset({"gemini-embedding-2", "gemini-embedding-2-preview"})
"""Models that are told in the text what it is for, and have no types of tasks."""

_INSTRUCTIONS = {"query": "task: search result | query: ", "document": "title: none | text: "}


class GeminiEmbedder(HttpEmbedder):
    """Asks Gemini.

    Settings: `embedder.*`; the key comes from `embedder.api_key`, else from `GOOGLE_API_KEY`, else
    from `GEMINI_API_KEY`, which is the order of Google's own SDK.
    """

    vendor = EmbeddingVendor(
        title="Gemini",
        address="https://generativelanguage.googleapis.com",
        key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        default_model="gemini-embedding-001",
        dimensions={
            "gemini-embedding-001": 3072,
            "gemini-embedding-2": 3072,
            "gemini-embedding-2-preview": 3072,
        },
        max_batch=100,  # more are refused
        errors=embedding_errors(
            "gemini",
            {
                "FAILED_PRECONDITION": errors.AuthenticationError,  # no billing, or not served here
                "PERMISSION_DENIED": errors.AuthenticationError,
                "UNAUTHENTICATED": errors.AuthenticationError,
            },
        ),
    )

    def make_headers(self, key: str) -> Mapping[str, str]:
        """The key in a header of its own."""
        return {"x-goog-api-key": key} if key else {}

    def complete_address(self, address: str) -> str:
        """With the version of the API, if it has none."""
        plain = address.rstrip("/")
        return plain if _ENDS_WITH_VERSION.search(plain) else f"{plain}/v1beta"

    def get_path(self) -> str:
        """A method of the model."""
        return f"/models/{self.name}:batchEmbedContents"

    def encode(self, texts: Sequence[str], kind: EmbeddedKind) -> bytes:
        """A request for each text, with the use of it."""
        is_instructed = self.name in _INSTRUCTED
        prefix = _INSTRUCTIONS[kind] if is_instructed else ""
        fields: dict[str, Any] = {} if is_instructed else {"taskType": _TASK_TYPES[kind]}
        shortened = self.get_shortened_dimensions()
        if shortened is not None:
            fields["outputDimensionality"] = shortened
        model = f"models/{self.name}"
        requests = [
            {"model": model, "content": {"parts": [{"text": prefix + text}]}, **fields}
            for text in texts
        ]
        return json_bytes({"requests": requests})

    def decode(self, payload: Any) -> EmbeddingReply:
        """The vectors stand in the order of the requests."""
        usage = payload.get("usageMetadata")
        tokens = usage.get("promptTokenCount") if isinstance(usage, Mapping) else None
        return EmbeddingReply(
            vectors=[each["values"] for each in payload["embeddings"]],
            tokens=tokens if type(tokens) is int else None,
        )
