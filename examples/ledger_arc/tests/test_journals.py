"""Runs in one SQLite file keep the rules for all journals."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ledger_arc.journals import LedgerRunJournals

from arc_core import RunStore
from arc_core.log import get_logger
from arc_core.testing.conformance.run_journal import RunJournalSuite


class TestLedgerRunJournals(RunJournalSuite):
    """They outlive their process: `reopen` reads the same file."""

    outlives_process = True
    jittered_runs = 200
    max_journal_bytes = 3_000_000  # events and results say again what steps have: it is to be read

    @pytest.fixture(autouse=True)
    def _in_a_folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "runs.sqlite"

    def make_journals(self) -> RunStore:
        """Journals over a file that is not there yet."""
        return LedgerRunJournals(logger=get_logger("journals"), path=self.path)

    def reopen(self) -> RunStore:
        """Journals over the same file."""
        return self.make_journals()

    async def kept_bytes(self, journals: RunStore) -> int:
        """The size of the file, with what is in its log."""
        with closing(sqlite3.connect(self.path)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.path.stat().st_size
