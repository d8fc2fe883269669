"""The order of the documents that were retrieved, by a second and closer look.

The engine asks once per run, after the retriever, with `rag.candidates` documents, and within
`rag.retrieval_timeout_s`. Fails open: the retriever's own order stands. The slot may stay empty.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.interfaces.conversations.retriever import Document


@slot("reranker", group="arc.rerankers")
@runtime_checkable
class Reranker(Protocol):
    """Ranks documents by how well they answer a question."""

    @abstractmethod
    async def rerank(
        self, query: str, documents: Sequence[Document], *, limit: int
    ) -> Sequence[Document]:
        """Return at most `limit` of the documents, best first, with scores of its own."""
