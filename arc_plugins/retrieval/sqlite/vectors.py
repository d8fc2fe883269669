"""The vectors of a space in memory, and the scan for the nearest of them.

A number takes four bytes: a hundred thousand vectors of 384 numbers are 154 MB.
"""

import sqlite3
import threading
from collections.abc import Collection
from dataclasses import dataclass, field

from arc_core.retrieval.index import Vector, VectorSpace
from arc_core.stores import explain_missing_extra
from arc_plugins.retrieval.sqlite.index import VectorSearch

with explain_missing_extra("vectors"):
    import numpy as np
    import numpy.typing as npt

_FLOAT32 = np.dtype("<f4")
_ROWS_AT_ONCE = 4_096

_SPACE = "SELECT id, created, version FROM spaces WHERE name = ? AND dimensions = ?"
_IDS = "SELECT id FROM vectors WHERE space_id = ?"
_NEW_VECTORS = """
SELECT vectors.id, passage_id, source, vector
FROM vectors JOIN passages ON passages.id = passage_id
WHERE vectors.id > ? AND space_id = ? ORDER BY vectors.id
"""

_Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vectors:
    """The vectors of a space at one version; its arrays have a row for each, whose ids rise.

    Another space in the place of this one was created at another time, and has other vectors.
    """

    created: str
    version: str
    ids: _Integers
    passage_ids: _Integers
    codes: _Integers
    codes_by_source: dict[str, int] = field(default_factory=dict)
    matrix: npt.NDArray[np.float32]

    def find(
        self, vector: Vector, limit: int, excluded: Collection[str]
    ) -> list[tuple[int, float]]:
        """Return the ids of passages with their scores, the best first."""
        scores = self.matrix @ np.asarray(vector, _FLOAT32)
        if excluded:
            is_excluded = np.zeros(len(self.codes_by_source), bool)
            codes = self.codes_by_source
            is_excluded[[codes[source] for source in excluded if source in codes]] = True
            scores[is_excluded[self.codes]] = -np.inf
        best = np.arange(len(scores))
        if limit < len(scores):
            best = np.argpartition(-scores, limit - 1)[:limit]
        best = best[np.isfinite(scores[best])]
        best = best[np.lexsort((self.passage_ids[best], -scores[best]))]
        return list(zip(self.passage_ids[best].tolist(), scores[best].tolist(), strict=True))


class VectorScan(VectorSearch):
    """Finds the nearest vectors of a file; loads what has changed since the last search."""

    def __init__(self) -> None:
        self._loaded: dict[VectorSpace, _Vectors] = {}
        self._loading = threading.Lock()

    def find(
        self,
        connection: sqlite3.Connection,
        space: VectorSpace,
        vector: Vector,
        *,
        limit: int,
        excluded: Collection[str],
    ) -> list[tuple[int, float]]:
        """Return the ids of passages with their scores, the best first."""
        row = connection.execute(_SPACE, (space.name, space.dimensions)).fetchone()
        if row is None:
            return []
        space_id, created, version = row
        with self._loading:
            known = self._loaded.get(space)
            if known is None or known.created != created:
                known = _no_vectors(space, created)
            if known.version != version:
                known = _load(connection, space_id, known, version=version)
                self._loaded[space] = known
        return known.find(vector, limit, excluded)


def _no_vectors(space: VectorSpace, created: str) -> _Vectors:
    none = np.empty(0, np.int64)
    matrix = np.empty((0, space.dimensions), np.float32)
    return _Vectors(
        created=created, version="", ids=none, passage_ids=none, codes=none, matrix=matrix
    )


def _load(
    connection: sqlite3.Connection, space_id: int, known: _Vectors, *, version: str
) -> _Vectors:
    """Return the vectors as they are now: the known ones that are still there, and new ones."""
    codes_by_source = dict(known.codes_by_source)
    last = int(known.ids[-1]) if len(known.ids) else 0
    there = np.fromiter((id for (id,) in connection.execute(_IDS, (space_id,))), np.int64)
    stays = np.isin(known.ids, there)
    numbers = [np.stack([known.ids, known.passage_ids, known.codes])[:, stays]]
    matrix = np.empty((len(there), known.matrix.shape[1]), np.float32)
    count = int(stays.sum())
    matrix[:count] = known.matrix[stays]
    rows = connection.execute(_NEW_VECTORS, (last, space_id))
    while part := rows.fetchmany(_ROWS_AT_ONCE):
        ids, passage_ids, sources, blobs = zip(*part, strict=True)
        codes = [codes_by_source.setdefault(each, len(codes_by_source)) for each in sources]
        numbers.append(np.array([ids, passage_ids, codes], np.int64))
        vectors = np.frombuffer(b"".join(blobs), _FLOAT32).reshape(len(part), -1)
        matrix[count : count + len(part)] = vectors
        count += len(part)
    columns = np.concatenate(numbers, axis=1)
    return _Vectors(
        created=known.created,
        version=version,
        ids=columns[0],
        passage_ids=columns[1],
        codes=columns[2],
        codes_by_source=codes_by_source,
        matrix=matrix,
    )
