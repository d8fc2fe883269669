"""The file in which runs are kept: four tables, and statements on them."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

__all__ = ["Ledger"]

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, command TEXT, deps TEXT, due REAL, state TEXT DEFAULT 'queued',
    life INTEGER DEFAULT 0, is_cancelled INTEGER DEFAULT 0, result TEXT
);
CREATE TABLE IF NOT EXISTS steps (run_id TEXT, key TEXT, value TEXT, PRIMARY KEY (run_id, key));
CREATE TABLE IF NOT EXISTS requests (
    run_id TEXT, key TEXT, request TEXT, until REAL, decision TEXT, life INTEGER,
    PRIMARY KEY (run_id, key)
);
CREATE TABLE IF NOT EXISTS events (
    place INTEGER PRIMARY KEY, run_id TEXT, teller TEXT, seq INTEGER, is_end INTEGER, event TEXT
);
CREATE INDEX IF NOT EXISTS events_of_run ON events (run_id, place);
-- A run whose process has ended is begun again.
UPDATE runs SET state = 'queued' WHERE state = 'running';
"""


class Ledger:
    """One SQLite file, in the hands of one thread of one process.

    Args:
        path: Of the file; made if there is none.
    """

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._path = path
        self._file: sqlite3.Connection | None = None

    async def do(self, *statements: str, **values: object) -> list[Any]:
        """Execute statements in one transaction.

        Args:
            *statements: SQL, with names of values as `:run_id`.
            **values: For all statements.

        Returns:
            The rows of the last one.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._execute, statements, values)

    def _execute(self, statements: tuple[str, ...], values: dict[str, object]) -> list[Any]:
        if self._file is None:
            self._file = sqlite3.connect(self._path)
            self._file.row_factory = sqlite3.Row
            self._file.executescript(_TABLES)
        rows: list[Any] = []
        with self._file:
            for statement in statements:
                rows = self._file.execute(statement, values).fetchall()
        return rows

    async def aclose(self) -> None:
        """Close the file; the next statement opens it again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
