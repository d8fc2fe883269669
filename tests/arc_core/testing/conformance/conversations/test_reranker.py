"""The suite for rerankers fails for those that break their contract, and passes for good ones."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from arc_core import Document, Reranker
from arc_core.testing.conformance.conversations.reranker import RerankerConformance
from tests.arc_core.testing.conformance.suites import Fault


class ShortestFirst(Reranker):
    """Prefers short texts."""

    async def rerank(
        self, query: str, documents: Sequence[Document], *, limit: int
    ) -> Sequence[Document]:
        ranked = sorted(documents, key=lambda document: len(document.text))
        return [replace(each, score=1 / len(each.text)) for each in ranked[:limit]]


class TestShortestFirst(RerankerConformance):
    """A good reranker passes."""

    def make_reranker(self) -> Reranker:
        return ShortestFirst()


class KeepsScores(ShortestFirst):
    """Moves documents, and leaves them the scores of the retriever."""

    async def rerank(
        self, query: str, documents: Sequence[Document], *, limit: int
    ) -> Sequence[Document]:
        return sorted(documents, key=lambda document: len(document.text))[:limit]


class LosesTenants(ShortestFirst):
    """Makes new documents."""

    async def rerank(
        self, query: str, documents: Sequence[Document], *, limit: int
    ) -> Sequence[Document]:
        return [Document(each.text, each.source) for each in documents[:limit]]


FAULTS = [
    Fault(KeepsScores, "the_best_is_ranked_first", match="better document"),
    Fault(LosesTenants, "it_gives_what_it_was_given", match="metadata"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(RerankerConformance)
