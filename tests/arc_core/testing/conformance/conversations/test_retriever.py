"""The suite for retrievers fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from arc_core import Document, Retriever
from arc_core.testing import FixedRetriever
from arc_core.testing.conformance.conversations.retriever import RetrieverConformance
from tests.arc_core.testing.conformance.suites import Fault, swallow_cancellation

DOCUMENTS = [Document("best", score=2.0), Document("good", score=1.0)]


class TestFixedRetriever(RetrieverConformance):
    """A good retriever passes."""

    query = "tea"

    def make_retriever(self) -> Retriever:
        return FixedRetriever(DOCUMENTS)


class GreedyRetriever(Retriever):
    """Gives all it has."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        return DOCUMENTS * 2


class ReversedRetriever(Retriever):
    """Gives the worst first."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        return DOCUMENTS[::-1][:limit]


class QueryLanguageRetriever(FixedRetriever):
    """Takes a person's words for a pattern."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        query.encode("ascii")
        return ()


class MixingRetriever(Retriever):
    """Mixes up runs that overlap."""

    def __init__(self) -> None:
        self._asked = 0

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        self._asked += 1
        before = self._asked
        await asyncio.sleep(0)
        return DOCUMENTS[:limit] if before == self._asked else ()


class DeafRetriever(Retriever):
    """Takes a cancellation for an answer."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        await swallow_cancellation()
        return ()


FAULTS = [
    Fault(GreedyRetriever, "any_text_can_be_asked_for", "tea", match="more documents"),
    Fault(GreedyRetriever, "the_limit_is_kept"),
    Fault(ReversedRetriever, "the_best_comes_first", match="better document"),
    Fault(QueryLanguageRetriever, "any_text_can_be_asked_for", "차", error=UnicodeEncodeError),
    Fault(MixingRetriever, "many_runs_may_ask_at_once"),
    Fault(DeafRetriever, "a_cancellation_leaves_it_usable", match="swallows"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(RetrieverConformance, query="tea")
