"""The retriever that finds nothing does what every retriever must do."""

from arc_core import Retriever
from arc_core.testing.conformance.conversations.retriever import RetrieverConformance
from arc_plugins.retrieval.no_retriever import NoRetriever


class TestConformance(RetrieverConformance):
    """It may find nothing."""

    def make_retriever(self) -> Retriever:
        return NoRetriever()
