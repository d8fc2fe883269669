"""Rules of every `Reranker` that the engine relies on."""

from abc import abstractmethod

import pytest

from arc_core.interfaces.conversations.reranker import Reranker
from arc_core.interfaces.conversations.retriever import Document
from arc_core.testing.conformance.components import (
    AsyncSuite,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_DOCUMENTS = tuple(
    Document(text, f"{number}.md", 9.0 - number, {"tenant": "acme"})
    for number, text in enumerate(("Green tea.", "Black coffee.", "Tea with milk.", "Bread."))
)


class RerankerConformance(AsyncSuite):
    """Inherit from it and say how your reranker is made."""

    @abstractmethod
    def make_reranker(self) -> Reranker:
        """A new reranker, not started."""

    async def test_it_is_a_reranker(self) -> None:
        """It can be asked."""
        check_interface(self.make_reranker(), Reranker)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_documents_are_ranked_for_any_text(self, text: str) -> None:
        """A query is a person's words; none makes it raise."""
        async with running(self.make_reranker()) as reranker:
            ranked = await reranker.rerank(text, _DOCUMENTS, limit=3)

        assert len(ranked) <= 3, "more documents than asked for"

    async def test_it_gives_what_it_was_given(self) -> None:
        """Each document once at most, with its source, its text and its metadata."""
        async with running(self.make_reranker()) as reranker:
            ranked = await reranker.rerank("tea", _DOCUMENTS, limit=10)

        given = {document.source: document for document in _DOCUMENTS}
        sources = [document.source for document in ranked]
        assert len(set(sources)) == len(sources), "a document comes twice"
        for document in ranked:
            same = given.get(document.source)
            assert same is not None, "a document that was not given"
            assert document.text == same.text, "the text of a document has changed"
            assert document.metadata == same.metadata, "the metadata of a document have changed"

    async def test_the_best_is_ranked_first(self) -> None:
        """Scores never rise, and the best one alone is the first of two."""
        async with running(self.make_reranker()) as reranker:
            ranked = await reranker.rerank("tea", _DOCUMENTS, limit=4)
            one = await reranker.rerank("tea", _DOCUMENTS, limit=1)

        scores = [document.score for document in ranked]
        assert scores == sorted(scores, reverse=True), "a better document comes later"
        assert list(one) == list(ranked)[:1]

    async def test_an_empty_list_of_documents_stays_empty(self) -> None:
        """Then there are none."""
        async with running(self.make_reranker()) as reranker:
            assert list(await reranker.rerank("tea", (), limit=3)) == []

    async def test_a_cancelled_ranking_leaves_it_usable(self) -> None:
        """A cancelled call ranks nothing, and the next one works."""
        async with running(self.make_reranker()) as reranker:
            await check_cancellation_leaves(reranker.rerank("tea", _DOCUMENTS, limit=1))

            await reranker.rerank("tea", _DOCUMENTS, limit=1)
