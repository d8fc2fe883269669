"""Passages and vectors in a file of SQLite's."""

from pathlib import Path

import pytest

from arc_core.retrieval.index import PassageIndex
from arc_core.testing.conformance.passage_index import PassageIndexConformance
from arc_plugins.retrieval.sqlite.index import SqlitePassageIndex
from arc_plugins.retrieval.sqlite.vectors import VectorScan


class TestSqlitePassageIndex(PassageIndexConformance):
    """What retrievers rely on."""

    @pytest.fixture(autouse=True)
    def _file(self, tmp_path: Path) -> None:
        self._path = tmp_path / "index.db"

    def make_index(self) -> PassageIndex:
        """One in a file that is not there."""
        return SqlitePassageIndex(self._path, scan=VectorScan())
