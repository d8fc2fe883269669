"""Rules of every `Retriever` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Mapping

import pytest

from arc_core.interfaces.conversations.retriever import TENANT_KEY, Document, Retriever
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_AT_ONCE = 20


class RetrieverConformance(AsyncSuite):
    """Inherit from it and say how your retriever is made.

    Attributes:
        query: One that finds at least two documents; None for a retriever that never finds any.
        filter: Metadata that some of the documents have which the query finds, and others have
            not; None for a retriever whose documents have no metadata.
        tenants: Two tenants of documents that the query finds, beside a document of no tenant; None
            for a retriever that does not tell tenants apart.
    """

    query: str | None = None
    filter: Mapping[str, str] | None = None
    tenants: tuple[str, str] | None = None

    @abstractmethod
    def make_retriever(self) -> Retriever:
        """A new retriever, not started, with documents."""

    async def test_it_is_a_retriever(self) -> None:
        """It can be asked."""
        check_interface(self.make_retriever(), Retriever)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_text_can_be_asked_for(self, text: str) -> None:
        """A query is a person's words and no query language; none makes it raise."""
        async with running(self.make_retriever()) as retriever:
            found = await retriever.retrieve(text, limit=3)

        assert len(found) <= 3, "more documents than asked for"
        assert all(isinstance(each, Document) for each in found)

    async def test_the_limit_is_kept(self) -> None:
        """The best one alone is the first of two."""
        if self.query is None:
            pytest.skip("this retriever finds nothing: query is None")

        async with running(self.make_retriever()) as retriever:
            two = await retriever.retrieve(self.query, limit=2)
            one = await retriever.retrieve(self.query, limit=1)

        assert len(two) == 2, "query has to find two documents"
        assert list(one) == list(two)[:1]

    async def test_the_best_comes_first(self) -> None:
        """Scores never rise, and every document has a text."""
        async with running(self.make_retriever()) as retriever:
            found = await retriever.retrieve(self.query or "", limit=10)

        scores = [each.score for each in found]
        assert scores == sorted(scores, reverse=True), "a better document comes later"
        assert all(each.text.strip() for each in found), "a document without text"

    async def test_a_filter_is_kept(self) -> None:
        """Only documents with the metadata are found, however few are wanted."""
        if self.query is None or self.filter is None:
            pytest.skip("these documents have no metadata: filter is None")

        async with running(self.make_retriever()) as retriever:
            everything = await retriever.retrieve(self.query, limit=100)
            found = await retriever.retrieve(self.query, limit=100, filter=self.filter)
            one = await retriever.retrieve(self.query, limit=1, filter=self.filter)
            none = await retriever.retrieve(
                self.query, limit=100, filter={**self.filter, "arc-not-there": "x"}
            )

        assert 0 < len(found) < len(everything), "filter has to find some documents, and not all"
        assert len(one) == 1, "a filter starves a small limit"
        assert [each for each in found if not _has(each, self.filter)] == []
        assert list(none) == [], "a key that no document has is found"

    async def test_tenants_see_their_documents_and_those_of_no_tenant(self) -> None:
        """Without a tenant only the latter are seen."""
        if self.query is None or self.tenants is None:
            pytest.skip("these documents have no tenants: tenants is None")

        async with running(self.make_retriever()) as retriever:
            for tenant in (*self.tenants, "", "' OR true --"):
                found = await retriever.retrieve(self.query, limit=100, filter={TENANT_KEY: tenant})
                seen = {each.metadata.get(TENANT_KEY) for each in found}
                is_theirs = tenant in self.tenants
                assert seen == ({None, tenant} if is_theirs else {None}), f"{tenant!r} sees {seen}"

    async def test_many_runs_may_ask_at_once(self) -> None:
        """Each gets what it would get alone."""
        query = self.query or "anything"
        async with running(self.make_retriever()) as retriever:
            alone = await retriever.retrieve(query, limit=2)
            calls = (retriever.retrieve(query, limit=2) for _ in range(_AT_ONCE))
            together = await call_together(calls)

        assert all(list(found) == list(alone) for found in together)

    async def test_a_cancellation_leaves_it_usable(self) -> None:
        """A cancelled retrieval finds nothing, and the next one works."""
        async with running(self.make_retriever()) as retriever:
            await check_cancellation_leaves(retriever.retrieve(self.query or "anything", limit=2))

            await retriever.retrieve(self.query or "anything", limit=1)


def _has(document: Document, wanted: Mapping[str, str]) -> bool:
    return all(document.metadata.get(key) == value for key, value in wanted.items())
