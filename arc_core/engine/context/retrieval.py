"""The documents a run gets to read; a run goes on without them where they cannot be had."""

from collections.abc import Sequence

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.retriever import Document, Retriever
from arc_core.settings import RagSettings

__all__ = ["DocumentRetrieval"]


class DocumentRetrieval:
    """Asks the retriever within its time-out; fails open."""

    def __init__(self, retriever: Retriever, *, boundary: Boundary, settings: RagSettings) -> None:
        self._retriever = retriever
        self._boundary = boundary
        self._settings = settings

    async def retrieve(self, query: str) -> Sequence[Document]:
        """Documents for a prompt, best first."""
        found = await self._boundary.call(
            policies.RETRIEVAL, self._retriever, lambda: self._ask(query)
        )
        return () if isinstance(found, Failed) else found

    async def _ask(self, query: str) -> Sequence[Document]:
        found = tuple(await self._retriever.retrieve(query, limit=self._settings.top_k))
        for document in found:
            if not isinstance(document, Document):
                raise TypeError(f"retrieve returned a {type(document).__name__} as a Document")
        return found
