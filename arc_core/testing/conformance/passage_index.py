"""Rules of every `PassageIndex` that `IndexRetriever` relies on."""

import math
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from arc_core.errors import ConfigurationError
from arc_core.interfaces.conversations.retriever import TENANT_KEY
from arc_core.retrieval.index import (
    IndexedPassage,
    Match,
    PassageIndex,
    SourceDocument,
    VectorSpace,
)
from arc_core.retrieval.passages import Passage
from arc_core.testing.conformance.components import AsyncSuite, call_together, check_interface
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_SPACE = VectorSpace(name="directions", dimensions=3)
_OTHER_SPACE = VectorSpace(name="directions", dimensions=2)
_NEAR, _BETWEEN, _FAR = [1.0, 0.0, 0.0], [math.sqrt(0.5), math.sqrt(0.5), 0.0], [0.0, 0.0, 1.0]
_AT_ONCE = 8


def make_document(
    source: str, *texts: str, metadata: Mapping[str, str] | None = None
) -> SourceDocument:
    """A document with passages below one heading."""
    passages = [Passage("Guide", text) for text in texts]
    return SourceDocument(
        source=source, title=f"About {source}", passages=passages, metadata=metadata or {}
    )


async def put(index: PassageIndex, document: SourceDocument, *vectors: Sequence[float]) -> None:
    """Put a new document with vectors into an index, of its first passages."""
    await index.replace(document)
    missing = await index.get_unembedded(_SPACE, after=0, limit=100)
    ids = [each.id for each in missing if each.passage in document.passages]
    await index.put_vectors(_SPACE, dict(zip(ids, vectors, strict=False)))


@asynccontextmanager
async def open_index(index: PassageIndex) -> AsyncIterator[PassageIndex]:
    """Make an index, and close it in the end."""
    await index.start(create=True)
    try:
        yield index
    finally:
        await index.aclose()


async def read_passages(index: PassageIndex, found: Sequence[Match]) -> list[IndexedPassage]:
    """Read the passages that were found, in their order."""
    passages = await index.get_passages([each.id for each in found])
    return [passages[each.id] for each in found]


async def find_by_words(
    index: PassageIndex, query: str, limit: int = 100, /, **filter: str
) -> list[IndexedPassage]:
    """Find passages, and read them."""
    return await read_passages(index, await index.find_by_words(query, limit=limit, filter=filter))


async def find_near(
    index: PassageIndex,
    space: VectorSpace = _SPACE,
    *,
    limit: int = 100,
    filter: Mapping[str, str] | None = None,
) -> list[str]:
    """Find the sources of the passages that are near to the first direction."""
    vector = _NEAR[: space.dimensions]
    found = await index.find_by_vector(vector, space, limit=limit, filter=filter or {})
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True), "a better passage comes later"
    return [each.source for each in await read_passages(index, found)]


class PassageIndexConformance(AsyncSuite):
    """Inherit from it and say how your index is made."""

    @abstractmethod
    def make_index(self) -> PassageIndex:
        """An index that is not there yet; another one each time but for one test's own calls."""

    async def test_it_is_a_passage_index(self) -> None:
        """It can be asked, and says where it is."""
        index = self.make_index()

        check_interface(index, PassageIndex)
        assert index.place

    async def test_an_index_is_made_only_if_that_is_wanted(self) -> None:
        """Reading what is not there is an error that says what to do; making it twice is none."""
        index = self.make_index()
        with pytest.raises(ConfigurationError) as caught:
            await index.start()
        for create in (True, True, False):
            await index.start(create=create)
            assert await index.get_sources() == {}
            await index.aclose()

        assert caught.value.remedy

    async def test_what_is_put_is_found_by_words(self) -> None:
        """With all that is known of it."""
        async with open_index(self.make_index()) as index:
            document = make_document("a", "first", "weather in Oslo", metadata={"team": "north"})
            await index.replace(document)
            await index.replace(make_document("b", "other"))
            [found] = await find_by_words(index, "What is the weather like in OSLO?")
            sources = await index.get_sources()

        assert (found.passage, found.number) == (document.passages[1], 2)
        assert (found.source, found.title, found.metadata) == ("a", "About a", {"team": "north"})
        assert {source: each.passages for source, each in sources.items()} == {"a": 2, "b": 1}
        assert (sources["a"].digest, sources["a"].metadata) == (document.digest, {"team": "north"})

    async def test_korean_is_found_with_whatever_is_attached(self) -> None:
        """The particles of a question need not be those of the passage."""
        async with open_index(self.make_index()) as index:
            await index.replace(make_document("a", "서울의 날씨는 맑다"))
            await index.replace(make_document("b", "부산의 예산 보고서"))

            assert [each.source for each in await find_by_words(index, "날씨를 알려줘")] == ["a"]

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_text_is_looked_for(self, text: str) -> None:
        """A query is a person's words and no query language; none makes it raise."""
        async with open_index(self.make_index()) as index:
            await index.replace(make_document("a", "tea"))

            assert len(await index.find_by_words(text, limit=1, filter={})) <= 1

    async def test_the_nearest_vectors_are_found(self) -> None:
        """The nearest first, as many as are wanted, and only of the space that is asked."""
        async with open_index(self.make_index()) as index:
            assert await find_near(index) == []
            await put(index, make_document("far", "far"), _FAR)
            await put(index, make_document("near", "near"), _NEAR)
            await put(index, make_document("between", "between"), _BETWEEN)
            await index.replace(make_document("without", "without"))

            assert await find_near(index) == ["near", "between", "far"]
            assert await find_near(index, limit=2) == ["near", "between"]
            assert await find_near(index, _OTHER_SPACE) == []

    async def test_passages_without_vectors_are_told_in_parts(self) -> None:
        """In the order of their ids, until all have one; those that are gone are left alone."""
        async with open_index(self.make_index()) as index:
            await index.replace(make_document("a", "one", "two", "three"))
            first = await index.get_unembedded(_SPACE, after=0, limit=2)
            [last] = await index.get_unembedded(_SPACE, after=first[-1].id, limit=2)
            await index.replace(make_document("a", "one", "two"))
            await index.put_vectors(_SPACE, {each.id: _NEAR for each in (*first, last)})
            left = await index.get_unembedded(_SPACE, after=0, limit=9)
            await index.put_vectors(_SPACE, {each.id: _FAR for each in left})
            await index.put_vectors(_SPACE, {each.id: _NEAR for each in left})

            assert [each.passage.text for each in (*first, last)] == ["one", "two", "three"]
            assert [each.passage.text for each in left] == ["one", "two"]
            assert await index.get_unembedded(_SPACE, after=0, limit=9) == []
            assert await index.get_spaces() == {_SPACE: 2}

    async def test_replacing_keeps_the_vectors_of_what_stays(self) -> None:
        """Nothing else of an earlier reading can be found any more."""
        async with open_index(self.make_index()) as index:
            await put(index, make_document("a", "stays", "goes"), _NEAR, _NEAR)
            document = make_document("a", "comes", "stays", metadata={"team": "north"})
            await index.replace(document)
            [left] = await index.get_unembedded(_SPACE, after=0, limit=9)
            found = await index.find_by_vector(_NEAR, _SPACE, limit=9, filter={"team": "north"})
            [near] = await read_passages(index, found)

            assert await find_by_words(index, "goes") == []
            assert (left.passage.text, near.passage.text, near.number) == ("comes", "stays", 2)
            assert (await index.get_sources())["a"].digest == document.digest

    async def test_removed_documents_are_gone(self) -> None:
        """Those that were there are told; the others stay."""
        async with open_index(self.make_index()) as index:
            for source in ("a", "b"):
                await put(index, make_document(source, f"tea {source}"), _NEAR)
            before = await find_near(index)
            removed = await index.remove(["a", "gone"])

            assert (before, list(removed)) == (["a", "b"], ["a"])
            assert await find_near(index) == ["b"]
            assert [each.source for each in await find_by_words(index, "tea")] == ["b"]
            assert list(await index.get_sources()) == ["b"]

    async def test_vectors_of_other_spaces_can_be_forgotten(self) -> None:
        """Those of the one that is kept are found as before."""
        async with open_index(self.make_index()) as index:
            await put(index, make_document("a", "tea"), _NEAR)
            [missing] = await index.get_unembedded(_OTHER_SPACE, after=0, limit=9)
            await index.put_vectors(_OTHER_SPACE, {missing.id: _NEAR[:2]})
            both = await index.get_spaces()
            await index.forget_other_vectors(_OTHER_SPACE)

            assert both == {_SPACE: 1, _OTHER_SPACE: 1}
            assert await index.get_spaces() == {_OTHER_SPACE: 1}
            assert (await find_near(index), await find_near(index, _OTHER_SPACE)) == ([], ["a"])

    async def test_a_filter_starves_no_search(self) -> None:
        """One passage that fits is found behind a hundred that are nearer."""
        async with open_index(self.make_index()) as index:
            texts = [f"tea {number}" for number in range(100)]
            await put(index, make_document("a", *texts), *[_NEAR] * 100)
            await put(index, make_document("b", "tea", metadata={"team": "x"}), _FAR)
            [found] = await find_by_words(index, "tea", 1, team="x")

            assert found.source == "b"
            assert await find_near(index, limit=1, filter={"team": "x"}) == ["b"]
            for other in ({"team": "y"}, {"tea\"m'": "x"}, {"team": "x", "city": "Oslo"}):
                assert await find_near(index, filter=other) == []
                assert await find_by_words(index, "tea", **other) == []

    async def test_tenants_are_kept_apart(self) -> None:
        """Each finds its own documents and those of none, by words and by vectors."""
        async with open_index(self.make_index()) as index:
            for tenant in ("", "acme", "Acme"):
                metadata = {TENANT_KEY: tenant} if tenant else {}
                await put(index, make_document(f"of {tenant}", "tea", metadata=metadata), _NEAR)
            for tenant in ("acme", "Acme", "", "' OR true --"):
                wanted = {"of ", f"of {tenant}" if tenant.lower() == "acme" else "of "}
                words = await find_by_words(index, "tea", **{TENANT_KEY: tenant})

                assert {each.source for each in words} == wanted
                assert set(await find_near(index, filter={TENANT_KEY: tenant})) == wanted

    async def test_documents_are_put_at_once(self) -> None:
        """Several at a time, and one of them twice: each is there once."""
        async with open_index(self.make_index()) as index:
            await call_together(
                put(index, make_document(f"{number}", f"tea {number}"))
                for number in (*range(_AT_ONCE), 0)
            )
            counts = [each.passages for each in (await index.get_sources()).values()]

            assert counts == [1] * _AT_ONCE
            assert len(await find_by_words(index, "tea")) == _AT_ONCE
