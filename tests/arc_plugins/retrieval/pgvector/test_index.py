"""Passages and vectors in PostgreSQL."""

import asyncio

import pytest
import sqlalchemy as sa

from arc_core.retrieval.index import PassageIndex, VectorSpace
from arc_core.stores.async_sql import make_engine
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.passage_index import (
    PassageIndexConformance,
    find_by_words,
    find_near,
    make_document,
    open_index,
    put,
    read_passages,
)
from arc_plugins.retrieval.pgvector import statements, terms
from arc_plugins.retrieval.pgvector.database import documents_address
from arc_plugins.retrieval.pgvector.index import PgvectorPassageIndex

pytestmark = pytest.mark.slow

_SPACE = VectorSpace(name="directions", dimensions=3)
_NEAR, _FAR = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
_AT_ONCE = 4


class TestPgvectorPassageIndex(PassageIndexConformance):
    """What retrievers rely on."""

    scheme = "postgresql"

    @pytest.fixture(autouse=True)
    def _database(self, pgvector_database: str) -> None:
        self._url = f"{self.scheme}:{pgvector_database.partition(':')[2]}"

    def make_index(self) -> PassageIndex:
        """One in a schema that has none."""
        return PgvectorPassageIndex(documents_address(self._url))


class TestPgvectorPassageIndexByPsycopg(TestPgvectorPassageIndex):
    """The same, by the other driver."""

    scheme = "postgresql+psycopg"


@pytest.fixture
def index(pgvector_database: str) -> PgvectorPassageIndex:
    """One that is not there, and that compares no vectors one by one if it need not."""
    return PgvectorPassageIndex(documents_address(pgvector_database), most_compared=0)


async def fill(index: PassageIndex) -> None:
    """Put a hundred passages that are near, some of which a tenant has, and one that is far."""
    texts = [f"tea {number}" for number in range(100)]
    await put(index, make_document("untagged", *texts[:90]), *[_NEAR] * 90)
    await put(index, make_document("acme", *texts[90:], metadata={"tenant": "acme"}), *[_NEAR] * 10)
    await put(index, make_document("rare", "tea", metadata={"team": "x"}), _FAR)
    await index.optimize()


async def read(url: str, *queries: str) -> str:
    """Read the first column of what the last of some statements finds, as lines."""
    engine = make_engine(documents_address(url))
    try:
        async with engine.connect() as connection:
            for query in queries[:-1]:
                await connection.execute(sa.text(query))
            return "\n".join(map(str, await connection.scalars(sa.text(queries[-1]))))
    finally:
        await engine.dispose()


async def test_a_filter_starves_no_search_of_the_graph(index: PgvectorPassageIndex) -> None:
    """The graph is followed until enough has passed, and tenants are kept apart on the way."""
    async with open_index(index):
        await fill(index)
        found = {
            name: await find_near(index, limit=limit, filter=filter)
            for name, limit, filter in (
                ("all", 100, {}),
                ("rare", 1, {"team": "x"}),
                ("acme", 101, {"tenant": "acme"}),
                ("none", 101, {"tenant": ""}),
            )
        }

    assert len(found["all"]) == 100
    assert found["rare"] == ["rare"]
    assert set(found["acme"]) == {"untagged", "acme", "rare"}
    assert len(found["acme"]) == 101
    assert set(found["none"]) == {"untagged", "rare"}


async def test_the_graph_of_a_space_serves_its_searches(
    index: PgvectorPassageIndex, pgvector_database: str
) -> None:
    """The statement is one that the HNSW index is good for."""
    async with open_index(index):
        await fill(index)
    graph = statements.find_by_graph(1, 3, condition="true")
    search = str(graph).replace(":vector", "'[1,0,0]'").replace(":limit", "5")
    plan = await read(pgvector_database, "SET enable_sort = off", f"EXPLAIN {search}")

    assert "Index Scan using arc_vectors_of_space_1" in plan


async def test_a_forgotten_space_leaves_no_graph(
    index: PgvectorPassageIndex, pgvector_database: str
) -> None:
    """Its HNSW index would be kept up to date for nothing."""
    async with open_index(index):
        await fill(index)
        await index.forget_other_vectors(VectorSpace(name="others", dimensions=3))
    graphs = await read(pgvector_database, "SELECT to_regclass('arc_vectors_of_space_1') IS NULL")

    assert graphs == "True"


async def test_common_words_find_what_nothing_else_does(
    index: PgvectorPassageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rare words choose what is looked at; there has to be enough of it, for each tenant."""
    monkeypatch.setattr(terms, "_MOST_ROWS", 10)
    async with open_index(index):
        await fill(index)
        found = await find_by_words(index, "tea 95", 5)
        every = await find_by_words(index, "tea 95", 102)
        filtered = await find_by_words(index, "tea 95", 5, team="x")

    assert found[0].passage.text == "tea 95"
    assert len({each.id for each in found}) == 5
    assert len({each.id for each in every}) == len(every) == 101
    assert [each.source for each in filtered] == ["rare"]


async def test_pairs_of_common_words_find_passages(
    index: PgvectorPassageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has several words of a question is the best, though each of them is common."""
    monkeypatch.setattr(terms, "_MOST_ROWS", 10)
    texts = [f"tea {number}" for number in range(50)] + [f"milk {number}" for number in range(50)]
    async with open_index(index):
        await index.replace(make_document("a", *texts, "tea with milk"))
        await index.optimize()
        found = await find_by_words(index, "sugar tea milk", 1)

    assert [each.passage.text for each in found] == ["tea with milk"]


async def test_passages_of_many_terms_are_ranked_as_others(index: PgvectorPassageIndex) -> None:
    """PostgreSQL stores their terms out of line."""
    long = " ".join(f"word{number} tea" for number in range(600))
    async with open_index(index):
        await index.replace(make_document("a", long, "tea", "word7 milk"))
        found = await find_by_words(index, "tea word7 word8", 3)

    assert found[0].passage.text == long
    assert {each.passage.text for each in found[1:]} == {"tea", "word7 milk"}


async def test_indexes_of_several_processes_double_nothing(pgvector_database: str) -> None:
    """They make one schema, and what they all add is there once, with one vector."""

    async def add() -> None:
        index = PgvectorPassageIndex(documents_address(pgvector_database))
        async with open_index(index):
            for source in ("a", "b"):
                await put(index, make_document(source, "tea", "milk"), _NEAR, _FAR)
            await index.optimize()

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(add())
    index = PgvectorPassageIndex(documents_address(pgvector_database))
    async with open_index(index):
        sources, spaces = await index.get_sources(), await index.get_spaces()

    assert {source: each.passages for source, each in sources.items()} == {"a": 2, "b": 2}
    assert spaces == {_SPACE: 4}


async def test_any_text_is_kept(index: PgvectorPassageIndex) -> None:
    """Words of any length and any script; what PostgreSQL cannot keep, files do not have."""
    texts = [text.replace("\0", "").replace("\ud800", "") for text in HOSTILE_TEXTS.values()]
    async with open_index(index):
        await index.replace(make_document("a", *filter(str.strip, texts)))
        found = await find_by_words(index, "a" * 20_000, 3)

    assert [each.passage.text for each in found] == ["a" * 20_000]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
async def test_filters_that_cannot_be_kept_let_nothing_through(
    index: PgvectorPassageIndex, text: str
) -> None:
    """A tenant of such a name has the documents of no tenant."""
    async with open_index(index):
        await fill(index)
        of_tenant = await find_near(index, limit=101, filter={"tenant": text})
        of_team = await find_near(index, limit=101, filter={"team": text})
        by_words = await index.find_by_words("tea", limit=101, filter={"team": text})

    assert set(of_tenant) == {"untagged", "rare"}
    assert [*of_team, *by_words] == []


async def test_vectors_that_no_graph_takes_are_compared(pgvector_database: str) -> None:
    """Of more than four thousand numbers, one by one."""
    space = VectorSpace(name="long", dimensions=4_001)
    vectors = [[1.0, *[0.0] * 4_000], [*[0.0] * 4_000, 1.0]]
    index = PgvectorPassageIndex(documents_address(pgvector_database), most_compared=0)
    async with open_index(index):
        await index.replace(make_document("a", "near", "far"))
        missing = await index.get_unembedded(space, after=0, limit=2)
        ids = [each.id for each in missing]
        await index.put_vectors(space, dict(zip(ids, vectors, strict=True)))
        await index.optimize()
        found = await index.find_by_vector(vectors[0], space, limit=2, filter={})
        passages = await read_passages(index, found)

    assert [each.passage.text for each in passages] == ["near", "far"]
