"""The documents a run gets to read; a run goes on without them where they cannot be had."""

import asyncio
from collections.abc import Sequence

from arc_core.cancellation import leave_if_cancelled
from arc_core.interfaces.agent_metrics import AgentMetrics, FaultSource
from arc_core.interfaces.retriever import Document, Retriever
from arc_core.log import get_logger
from arc_core.settings import RagSettings

__all__ = ["DocumentRetrieval"]

logger = get_logger("retrieval")


class DocumentRetrieval:
    """Asks the retriever within its time-out; fails open."""

    def __init__(
        self, retriever: Retriever, *, metrics: AgentMetrics, settings: RagSettings
    ) -> None:
        self._retriever = retriever
        self._metrics = metrics
        self._settings = settings

    async def retrieve(self, query: str) -> Sequence[Document]:
        """Documents for a prompt, best first."""
        try:
            async with asyncio.timeout(self._settings.retrieval_timeout_s):
                found = await self._retriever.retrieve(query, limit=self._settings.top_k)
                documents = tuple(found)
        except Exception:  # fail open: an answer without documents is better than none
            leave_if_cancelled()
            logger.exception(
                "retrieval failed, the run goes on without documents",
                retriever=type(self._retriever).__name__,
            )
            self._metrics.record_fault(FaultSource.RETRIEVAL)
            return ()
        leave_if_cancelled()
        return documents
