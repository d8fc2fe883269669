"""Passages, their terms and their vectors in one file of SQLite's."""

import asyncio
import sqlite3
import struct
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

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
from arc_core.text.terms import split_terms
from arc_plugins.retrieval.sqlite.database import (
    explain_failures,
    reading,
    require,
    transaction,
    writing,
)
from arc_plugins.retrieval.sqlite.words import TermSearch, get_condition

_PASSAGE = """
SELECT heading, text, passages.source, coalesce(title, ''),
  passages.id - (SELECT min(id) FROM passages AS first WHERE first.source = passages.source) + 1
FROM passages LEFT JOIN sources ON sources.source = passages.source
WHERE passages.id = ?
"""
_EXCLUDED = "SELECT source FROM sources WHERE NOT ({})"
_METADATA = "SELECT source, key, value FROM source_metadata"
_METADATA_OF = "SELECT key, value FROM source_metadata WHERE source = ?"

_SOURCES = """
SELECT passages.source, count(*), coalesce(digest, '')
FROM passages LEFT JOIN sources ON sources.source = passages.source
GROUP BY passages.source ORDER BY passages.source
"""
_LAST = "SELECT max(id) FROM passages WHERE source = ?"
_OLD = "SELECT heading, text, id FROM passages WHERE source = ?"
_FORGET_VECTORS = """
DELETE FROM vectors
WHERE passage_id IN (SELECT id FROM passages WHERE source = :source AND id <= :last)
"""
_FORGET_TERMS = """
DELETE FROM passage_terms
WHERE rowid IN (SELECT id FROM passages WHERE source = :source AND id <= :last)
"""
_FORGET_PASSAGES = "DELETE FROM passages WHERE source = :source AND id <= :last"
_FORGET_METADATA = "DELETE FROM source_metadata WHERE source = ?"
_FORGET_SOURCE = "DELETE FROM sources WHERE source = ?"
_KEEP_SOURCE = "INSERT INTO sources (source, title, digest) VALUES (?, ?, ?)"
_KEEP_METADATA = "INSERT INTO source_metadata (source, key, value) VALUES (?, ?, ?)"
_KEEP = "INSERT INTO passages (source, heading, text) VALUES (?, ?, ?)"
_KEEP_TERMS = "INSERT INTO passage_terms (rowid, heading, text) VALUES (?, ?, ?)"
_COPY_VECTORS = """
INSERT INTO vectors (space_id, passage_id, vector)
SELECT space_id, ?, vector FROM vectors WHERE passage_id = ?
"""
_SPACES = """
SELECT name, dimensions, count(*)
FROM spaces JOIN vectors ON space_id = spaces.id GROUP BY spaces.id ORDER BY spaces.id
"""
_UNEMBEDDED = """
SELECT id, heading, text FROM passages
WHERE id > ? AND NOT EXISTS (
  SELECT 1 FROM vectors JOIN spaces ON spaces.id = space_id
  WHERE passage_id = passages.id AND name = ? AND dimensions = ?
)
ORDER BY id LIMIT ?
"""
_ADD_SPACE = """
INSERT INTO spaces (name, dimensions, created, version)
VALUES (?, ?, hex(randomblob(8)), '') ON CONFLICT DO NOTHING
"""
_ADD_VECTOR = """
INSERT INTO vectors (space_id, passage_id, vector)
SELECT spaces.id, passages.id, ? FROM spaces, passages
WHERE name = ? AND dimensions = ? AND passages.id = ? ON CONFLICT DO NOTHING
"""
_FORGET_OTHER_VECTORS = """
DELETE FROM vectors
WHERE space_id IN (SELECT id FROM spaces WHERE NOT (name = ? AND dimensions = ?))
"""
_FORGET_OTHER_SPACES = "DELETE FROM spaces WHERE NOT (name = ? AND dimensions = ?)"
_CHANGE_VECTORS = "UPDATE spaces SET version = hex(randomblob(8))"

_T = TypeVar("_T")


class VectorSearch(Protocol):
    """Finds the nearest vectors of a file."""

    def find(
        self,
        connection: sqlite3.Connection,
        space: VectorSpace,
        vector: Vector,
        *,
        limit: int,
        excluded: Collection[str],
    ) -> Sequence[tuple[int, float]]:
        """Return the ids of passages with their scores, the best first.

        Args:
            connection: Sees one state of the file.
            space: Of the vectors that are compared.
            vector: The one that others shall be near to.
            limit: At least 1.
            excluded: Sources whose passages do not count.
        """
        ...


class SqlitePassageIndex(PassageIndex):
    """Opens its file anew in each call, in a thread.

    FTS5 ranks, and splits nothing: no tokenizer of SQLite's finds words inside of Korean ones.

    Args:
        path: Of the file.
        scan: Finds vectors; None if none are asked for.
    """

    def __init__(self, path: Path, *, scan: VectorSearch | None = None) -> None:
        self.place = str(path)
        self._path, self._scan, self._words = path, scan, TermSearch()

    async def start(self, *, create: bool = False) -> None:
        """See that the file fits; with `create`, make it or bring it up to date."""
        await self._call(writing if create else reading, lambda _: None)

    async def aclose(self) -> None:
        """Nothing is open between two calls."""

    async def get_sources(self) -> Mapping[str, IndexedSource]:
        """Return all documents by their source."""
        return await self._call(reading, _get_sources)

    async def replace(self, document: SourceDocument) -> None:
        """Keep this of a source, in one transaction."""
        await self._call(writing, lambda connection: _replace(connection, document))

    async def remove(self, sources: Sequence[str]) -> Sequence[str]:
        """Forget documents, all in one transaction."""
        require(self._path)
        return await self._call(writing, lambda connection: _remove(connection, sources))

    async def get_spaces(self) -> Mapping[VectorSpace, int]:
        """Return the number of vectors of each space that has any."""
        return await self._call(reading, _get_spaces)

    async def get_unembedded(
        self, space: VectorSpace, *, after: int, limit: int
    ) -> Sequence[UnembeddedPassage]:
        """Return passages without a vector of the space."""
        values = (after, space.name, space.dimensions, limit)
        return await self._call(
            reading,
            lambda connection: [
                UnembeddedPassage(id, Passage(heading, text))
                for id, heading, text in connection.execute(_UNEMBEDDED, values)
            ],
        )

    async def put_vectors(self, space: VectorSpace, vectors: Mapping[int, Vector]) -> None:
        """Keep vectors, as 32-bit numbers, in one transaction."""
        await self._call(writing, lambda connection: _put_vectors(connection, space, vectors))

    async def forget_other_vectors(self, space: VectorSpace) -> None:
        """Keep the vectors of one space only."""

        def forget(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                for statement in (_FORGET_OTHER_VECTORS, _FORGET_OTHER_SPACES):
                    connection.execute(statement, (space.name, space.dimensions))

        await self._call(writing, forget)

    async def optimize(self) -> None:
        """Nothing is put off until now."""

    async def find_by_words(
        self, query: str, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages that share the most telling terms with a text, best first."""

        def find(connection: sqlite3.Connection) -> list[Match]:
            best = self._words.find(connection, query, limit=limit, filter=filter)
            return [Match(*each) for each in best]

        return await self._call(reading, find)

    async def find_by_vector(
        self, vector: Vector, space: VectorSpace, *, limit: int, filter: Mapping[str, str]
    ) -> Sequence[Match]:
        """Find the passages whose vectors of the space are nearest, best first."""
        scan = self._scan
        assert scan is not None

        def find(connection: sqlite3.Connection) -> list[Match]:
            condition, values = get_condition(filter)
            rows = connection.execute(_EXCLUDED.format(condition), values)
            excluded = [source for (source,) in rows]
            best = scan.find(connection, space, vector, limit=limit, excluded=excluded)
            return [Match(*each) for each in best]

        return await self._call(reading, find)

    async def get_passages(self, ids: Sequence[int]) -> Mapping[int, IndexedPassage]:
        """Return passages by their ids."""
        return await self._call(reading, lambda connection: _get_passages(connection, ids))

    async def _call(
        self,
        opened: Callable[[Path], AbstractContextManager[sqlite3.Connection]],
        function: Callable[[sqlite3.Connection], _T],
    ) -> _T:
        def call() -> _T:
            with explain_failures(self._path), opened(self._path) as connection:
                return function(connection)

        return await asyncio.to_thread(call)


def _get_sources(connection: sqlite3.Connection) -> dict[str, IndexedSource]:
    metadata = defaultdict[str, dict[str, str]](dict)
    for source, key, value in connection.execute(_METADATA):
        metadata[source][key] = value
    return {
        source: IndexedSource(passages=count, digest=digest, metadata=metadata.get(source, {}))
        for source, count, digest in connection.execute(_SOURCES)
    }


def _get_spaces(connection: sqlite3.Connection) -> dict[VectorSpace, int]:
    return {
        VectorSpace(name=name, dimensions=dimensions): count
        for name, dimensions, count in connection.execute(_SPACES)
    }


def _replace(connection: sqlite3.Connection, document: SourceDocument) -> None:
    source = document.source
    with transaction(connection):
        old = {(heading, text): id for heading, text, id in connection.execute(_OLD, (source,))}
        last = connection.execute(_LAST, (source,)).fetchone()[0] or 0
        for passage in document.passages:
            content = (passage.heading, passage.text)
            number = connection.execute(_KEEP, (source, *content)).lastrowid
            terms = (" ".join(split_terms(text)) for text in content)
            connection.execute(_KEEP_TERMS, (number, *terms))
            if content in old:
                connection.execute(_COPY_VECTORS, (number, old[content]))
        _forget(connection, source, last)
        connection.execute(_KEEP_SOURCE, (source, document.title, document.digest))
        rows = ((source, key, value) for key, value in document.metadata.items())
        connection.executemany(_KEEP_METADATA, rows)


def _remove(connection: sqlite3.Connection, sources: Sequence[str]) -> list[str]:
    with transaction(connection):
        removed = []
        for source in dict.fromkeys(sources):
            last = connection.execute(_LAST, (source,)).fetchone()[0]
            if last is not None:
                _forget(connection, source, last)
                removed.append(source)
        return removed


def _forget(connection: sqlite3.Connection, source: str, last: int) -> None:
    """Forget what there is of a source, up to the passage with this id."""
    values = {"source": source, "last": last}
    if connection.execute(_FORGET_VECTORS, values).rowcount:
        connection.execute(_CHANGE_VECTORS)
    connection.execute(_FORGET_TERMS, values)
    connection.execute(_FORGET_PASSAGES, values)
    connection.execute(_FORGET_METADATA, (source,))
    connection.execute(_FORGET_SOURCE, (source,))


def _put_vectors(
    connection: sqlite3.Connection, space: VectorSpace, vectors: Mapping[int, Vector]
) -> None:
    names = (space.name, space.dimensions)
    encode = struct.Struct(f"<{space.dimensions}f").pack
    rows = [(encode(*vector), *names, id) for id, vector in vectors.items()]
    with transaction(connection):
        connection.execute(_ADD_SPACE, names)
        connection.executemany(_ADD_VECTOR, rows)
        connection.execute(_CHANGE_VECTORS)


def _get_passages(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, IndexedPassage]:
    metadata = cache(lambda source: dict(connection.execute(_METADATA_OF, (source,)).fetchall()))
    found = {}
    for id in ids:
        row = connection.execute(_PASSAGE, (id,)).fetchone()
        if row is not None:
            heading, text, source, title, number = row
            found[id] = IndexedPassage(
                id=id,
                passage=Passage(heading, text),
                source=source,
                title=title,
                number=number,
                metadata=metadata(source),
            )
    return found
