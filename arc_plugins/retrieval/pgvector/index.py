"""Passages, their terms and their vectors in PostgreSQL."""

import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arc_core import TENANT_KEY
from arc_core.retrieval.index import (
    IndexedPassage,
    IndexedSource,
    Match,
    PassageIndex,
    SourceDocument,
    UnembeddedPassage,
    Vector,
    VectorSpace,
)
from arc_core.retrieval.passages import Passage
from arc_core.stores.async_sql import make_engine
from arc_core.stores.sql import SqlAddress, explain_sql_failures, transaction_lock
from arc_plugins.retrieval.pgvector import statements
from arc_plugins.retrieval.pgvector.database import LOCK, make_index, open_engine
from arc_plugins.retrieval.pgvector.terms import (
    TermStatistics,
    count_terms,
    encode_filter,
    encode_passage,
    plan_search,
)

_MOST_COMPARED = 5_000
"""It takes some milliseconds, and misses nothing."""

_MOST_RANKED = 4_000
"""Times a word is looked for in a candidate."""

_MOST_FILLING = 1_000
"""Passages of one common word that are looked at, unless more are asked for."""

_MOST_EXPLORED = 1_000
"""The most that pgvector takes for `hnsw.ef_search`."""

_MARGIN = 1.1
"""A filter may leave fewer of the nearest passages than of all."""

_STATISTICS_S = 60.0


class PgvectorPassageIndex(PassageIndex):
    """Searches with connections that give up after some seconds, writes with others that do not.

    The graph is followed for more than `most_compared` passages, others are compared one by one.
    """

    def __init__(
        self,
        address: SqlAddress,
        *,
        most_compared: int = _MOST_COMPARED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.place = address.place
        self._address, self._most_compared, self._clock = address, most_compared, clock
        self._searching: AsyncEngine | None = None
        self._writing: AsyncEngine | None = None
        self._statistics, self._estimated_at = TermStatistics(passages=0), -_STATISTICS_S

    async def start(self, *, create: bool = False) -> None:
        """Open the database, and see that pgvector and the schema fit."""
        if create:
            await make_index(self._address)
        self._searching = await open_engine(self._address)
        self._writing = make_engine(self._address)
        self._estimated_at = self._clock() - _STATISTICS_S

    async def aclose(self) -> None:
        """Close the connections."""
        engines, self._searching, self._writing = (self._searching, self._writing), None, None
        for engine in engines:
            if engine is not None:
                await engine.dispose()

    async def get_sources(self) -> Mapping[str, IndexedSource]:
        """Return all documents by their source."""
        async with self._connect() as connection:
            rows = (await connection.execute(statements.SOURCES)).all()
        return {
            row.source: IndexedSource(
                passages=row.passages, digest=row.digest, metadata=json.loads(row.metadata)
            )
            for row in sorted(rows, key=lambda row: str(row.source))
        }

    async def replace(self, document: SourceDocument) -> None:
        """Keep this of a source, in one transaction; another one of the same source waits."""
        metadata = json.dumps(dict(document.metadata))
        async with self._write() as connection:
            number = await connection.scalar(
                statements.KEEP_DOCUMENT,
                {
                    "source_hash": _hash(document.source),
                    "source": document.source,
                    "title": document.title,
                    "digest": document.digest,
                    "metadata": metadata,
                },
            )
            rows = await connection.execute(statements.OLD_PASSAGES, {"document": number})
            old = {Passage(row.heading, row.text): row.id for row in rows}
            old_ids = list(old.values())
            ids = await _keep_passages(connection, number, document.passages)
            await connection.execute(
                statements.KEEP_TERMS,
                {
                    "ids": ids,
                    "lengths": list(map(count_terms, document.passages)),
                    "metadata": metadata,
                    "terms": [encode_passage(it, document.metadata) for it in document.passages],
                },
            )
            same = [
                (id, old[it]) for id, it in zip(ids, document.passages, strict=True) if it in old
            ]
            if same:
                new, former = zip(*same, strict=True)
                values = {"ids": list(new), "old_ids": list(former)}
                await connection.execute(statements.COPY_VECTORS, values)
            await connection.execute(statements.FORGET_PASSAGES, {"ids": old_ids})

    async def remove(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget documents, all in one transaction."""
        hashes = [_hash(source) for source in dict.fromkeys(sources)]
        async with self._write() as connection:
            removed = await connection.scalars(statements.REMOVE, {"hashes": hashes})
            found = set(removed)
        return [source for source in dict.fromkeys(sources) if source in found]

    async def get_spaces(self) -> Mapping[VectorSpace, int]:
        """Return the number of vectors of each space that has any."""
        async with self._connect() as connection:
            rows = (await connection.execute(statements.SPACES)).all()
        return {VectorSpace(name=row.name, dimensions=row.dimensions): row.vectors for row in rows}

    async def get_unembedded(
        self, space: VectorSpace, *, after: int, limit: int
    ) -> Sequence[UnembeddedPassage]:
        """Return passages without a vector of the space."""
        async with self._connect() as connection:
            number = await _find_space(connection, space)
            values = {"after": after, "space": number or 0, "limit": limit}
            rows = (await connection.execute(statements.UNEMBEDDED, values)).all()
        return [UnembeddedPassage(row.id, Passage(row.heading, row.text)) for row in rows]

    async def put_vectors(self, space: VectorSpace, vectors: Mapping[int, Vector]) -> None:
        """Keep vectors, as 16-bit numbers, in one transaction."""
        names = {"name": space.name, "dimensions": space.dimensions}
        values = {"ids": list(vectors), "vectors": list(map(_encode_vector, vectors.values()))}
        async with self._write() as connection:
            await connection.execute(statements.ADD_SPACE, names)
            number = await connection.scalar(statements.HELD_SPACE, names)
            await connection.execute(statements.PUT_VECTORS, {"space": number, **values})

    async def forget_other_vectors(self, space: VectorSpace) -> None:
        """Keep the vectors of one space only, and its graph."""
        names = {"name": space.name, "dimensions": space.dimensions}
        async with self._write() as connection:
            numbers = (await connection.scalars(statements.OTHER_SPACES, names)).all()
            for number in numbers:
                await connection.execute(statements.drop_graph(number))
                await connection.execute(statements.FORGET_SPACE, {"space": number})

    async def optimize(self) -> None:
        """Make the graphs of spaces that have none, and have PostgreSQL estimate anew.

        A graph is made once all vectors are there, which takes a tenth of the time.
        """
        async with self._write() as connection:
            await connection.execute(transaction_lock(self._address, LOCK))
            await connection.execute(statements.TUNE_BUILD)
            for space in (await connection.execute(statements.SPACES)).all():
                if space.dimensions <= statements.MOST_INDEXED:
                    await connection.execute(statements.create_graph(space.id, space.dimensions))
            await connection.execute(statements.ANALYZE)
        self._estimated_at = self._clock() - _STATISTICS_S

    async def find_by_words(
        self, query: str, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages that share the most telling words with a text, best first."""
        passing = _as_stored(filter)
        if passing is None:
            return []
        async with self._connect() as connection:
            statistics = await self._get_statistics(connection)
            search = plan_search(query, passing, statistics)
            if not search.probes:
                return []
            await connection.execute(statements.TUNE_WORDS)
            values: dict[str, Any] = {"words": search.words, "shares": search.shares, "most": None}
            values |= {"passages": statistics.passages, "mean_length": statistics.mean_length}
            found = await _find_by_probes(connection, search.probes, values, limit=limit)
            for filler in search.fillers:
                if len(found) >= limit:
                    break
                most = 2 * limit  # since those that are found already may be among them
                values["most"] = max(_MOST_FILLING, most)
                more = await _find_by_probes(connection, [filler], values, limit=most)
                found = list({each.id: each for each in (*found, *more)}.values())
        return sorted(found, key=lambda each: -each.score)[:limit]

    async def find_by_vector(
        self, vector: Vector, space: VectorSpace, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages whose vectors of the space are nearest, best first.

        Those that a filter leaves are compared one by one if they are few.
        """
        passing = _as_stored(filter)
        if passing is None:
            return []
        async with self._connect() as connection:
            number = await _find_space(connection, space)
            if number is None:
                return []
            statistics = await self._get_statistics(connection)
            possible = statistics.estimate_rows(passing)
            await _tune(connection, limit * statistics.passages / max(possible, 1.0))
            values = {"vector": _encode_vector(vector), "limit": limit}
            found = list[Match]()
            if possible > self._most_compared:
                condition, given = _get_condition(passing)
                graph = statements.find_by_graph(number, space.dimensions, condition=condition)
                found = _get_matches(await connection.execute(graph, {**values, **given}))
            if len(found) < limit:
                if passing:
                    values["filter"] = encode_filter(passing)
                scan = statements.find_among_filtered(number, is_filtered=bool(passing))
                found = _get_matches(await connection.execute(scan, values))
        return found

    async def get_passages(self, ids: Sequence[int]) -> Mapping[int, IndexedPassage]:
        """Return passages by their ids."""
        async with self._connect() as connection:
            rows = (await connection.execute(statements.PASSAGES, {"ids": list(ids)})).all()
        return {
            row.id: IndexedPassage(
                id=row.id,
                passage=Passage(row.heading, row.text),
                source=row.source,
                title=row.title,
                number=row.number,
                metadata=json.loads(row.metadata),
            )
            for row in rows
        }

    async def _get_statistics(self, connection: AsyncConnection) -> TermStatistics:
        if self._clock() - self._estimated_at >= _STATISTICS_S:
            row = (await connection.execute(statements.STATISTICS)).one()
            passages, length, terms, shares = row
            known = zip(terms or (), shares or (), strict=False)  # three more end the shares
            self._statistics = TermStatistics(
                passages=int(passages), mean_length=float(length), shares=dict(known)
            )
            self._estimated_at = self._clock()
        return self._statistics

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[AsyncConnection]:
        engine = _require(self._searching)
        with explain_sql_failures(self._address):
            async with engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[AsyncConnection]:
        engine = _require(self._writing)
        with explain_sql_failures(self._address):
            async with engine.begin() as connection:
                yield connection


def _require(engine: AsyncEngine | None) -> AsyncEngine:
    if engine is None:
        raise RuntimeError("the index of documents is not started: await start() first")
    return engine


async def _keep_passages(
    connection: AsyncConnection, document: int, passages: Sequence[Passage]
) -> list[int]:
    """Return the ids of new passages, in their order."""
    values = {
        "document": document,
        "headings": [passage.heading for passage in passages],
        "texts": [passage.text for passage in passages],
    }
    rows = (await connection.execute(statements.KEEP_PASSAGES, values)).all()
    return [row.id for row in sorted(rows, key=lambda row: int(row.number))]


async def _find_space(connection: AsyncConnection, space: VectorSpace) -> int | None:
    names = {"name": space.name, "dimensions": space.dimensions}
    number: int | None = await connection.scalar(statements.SPACE, names)
    return number


async def _tune(connection: AsyncConnection, expected: float) -> None:
    """Have the graph explored in one go for as many passages as a filter may need, not in two."""
    explored = min(max(round(expected * _MARGIN), 100), _MOST_EXPLORED)
    await connection.execute(statements.TUNE_SEARCH, {"ef_search": str(explored)})


async def _find_by_probes(
    connection: AsyncConnection, probes: Sequence[str], values: Mapping[str, Any], *, limit: int
) -> list[Match]:
    given = {
        **values,
        **dict.fromkeys(statements.PROBES),
        **dict(zip(statements.PROBES, probes, strict=False)),  # None for those that there are not
        "candidates": max(limit, _MOST_RANKED // len(values["words"])),
        "limit": limit,
    }
    return _get_matches(await connection.execute(statements.FIND_BY_WORDS, given))


def _get_matches(rows: Iterable[Any]) -> list[Match]:
    return [Match(row.id, row.score) for row in rows]


def _get_condition(filter: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the condition on a passage that a filter is, and its values."""
    conditions, values = ["true"], dict[str, str]()
    if TENANT_KEY in filter:
        conditions.append("(tenant IS NULL OR tenant = :tenant)")
        values["tenant"] = filter[TENANT_KEY]
    others = {key: value for key, value in filter.items() if key != TENANT_KEY}
    if others:
        conditions.append("arc_passage_terms.metadata @> CAST(:metadata AS jsonb)")
        values["metadata"] = json.dumps(others)
    return " AND ".join(conditions), values


def _as_stored(filter: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return a filter that the database can read; None if no passage can pass it."""
    strange = {key for key, value in filter.items() if not (_is_storable(key + value))}
    if strange - {TENANT_KEY}:
        return None
    return {key: "" if key in strange else value for key, value in filter.items()}


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _encode_vector(vector: Vector) -> str:
    return f"[{','.join(map(repr, vector))}]"


def _hash(source: str) -> bytes:
    return sha256(source.encode("utf-8", "surrogatepass")).digest()
