"""Retrieves nothing: the default until documents are configured."""

from collections.abc import Mapping, Sequence

from arc_core import Document, Retriever
from arc_core.interfaces.optional import Health, HealthStatus


class NoRetriever(Retriever):
    """Has no documents."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        """Nothing, whatever is asked."""
        return ()

    async def check_health(self) -> Health:
        """Nothing to check."""
        return Health(status=HealthStatus.SKIPPED, summary="no documents are retrieved")
