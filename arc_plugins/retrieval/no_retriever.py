"""Retrieves nothing: the default until documents are configured."""

from collections.abc import Sequence

from arc_core import Document, Retriever

__all__ = ["NoRetriever"]


class NoRetriever(Retriever):
    """Has no documents."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        """Nothing, whatever is asked."""
        del query, limit
        return ()
