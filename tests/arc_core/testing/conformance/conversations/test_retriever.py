"""The suite for retrievers fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arc_core import Document, Retriever
from arc_core.testing import FixedRetriever
from arc_core.testing.conformance.conversations.retriever import RetrieverConformance

DOCUMENTS = [Document("best", score=2.0), Document("good", score=1.0)]


class TestFixedRetriever(RetrieverConformance):
    """A good retriever passes."""

    query = "tea"

    def make_retriever(self) -> Retriever:
        return FixedRetriever(DOCUMENTS)


class SuiteFor(RetrieverConformance):
    """The suite, applied to one wrong retriever."""

    __test__ = False
    query = "tea"

    def __init__(self, retriever: Callable[[], Any]) -> None:
        self._retriever = retriever

    def make_retriever(self) -> Retriever:
        retriever: Retriever = self._retriever()
        return retriever


class GreedyRetriever(Retriever):
    """Gives all it has."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        return DOCUMENTS * 2


class ReversedRetriever(Retriever):
    """Gives the worst first."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        return DOCUMENTS[::-1][:limit]


class QueryLanguageRetriever(FixedRetriever):
    """Takes a person's words for a pattern."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        query.encode("ascii")
        return ()


class MixingRetriever(Retriever):
    """Mixes up runs that overlap."""

    def __init__(self) -> None:
        self._asked = 0

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        self._asked += 1
        before = self._asked
        await asyncio.sleep(0)
        return DOCUMENTS[:limit] if before == self._asked else ()


class DeafRetriever(Retriever):
    """Takes a cancellation for an answer."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            self.last = cancellation
            return ()
        raise AssertionError


async def test_too_many_documents_are_found() -> None:
    """The limit is what the window has room for."""
    with pytest.raises(AssertionError, match="more documents"):
        await SuiteFor(GreedyRetriever).test_any_text_can_be_asked_for("tea")
    with pytest.raises(AssertionError):
        await SuiteFor(GreedyRetriever).test_the_limit_is_kept()


async def test_a_wrong_order_is_found() -> None:
    """The window drops the last ones."""
    with pytest.raises(AssertionError, match="better document"):
        await SuiteFor(ReversedRetriever).test_the_best_comes_first()


async def test_a_query_language_is_found() -> None:
    """What raises for some words fails."""
    with pytest.raises(UnicodeEncodeError):
        await SuiteFor(QueryLanguageRetriever).test_any_text_can_be_asked_for("차")


async def test_mixed_up_runs_are_found() -> None:
    """State of one run is not a state of the retriever."""
    with pytest.raises(AssertionError):
        await SuiteFor(MixingRetriever).test_many_runs_may_ask_at_once()


async def test_a_swallowed_cancellation_is_found() -> None:
    """Cancellations leave."""
    with pytest.raises(AssertionError, match="swallows"):
        await SuiteFor(DeafRetriever).test_a_cancellation_leaves_it_usable()
