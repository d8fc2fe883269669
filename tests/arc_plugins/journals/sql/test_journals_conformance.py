"""Durable runs keep the rules of all journals, in both databases."""

from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.runs.store import RunStore
from arc_core.testing.conformance.run_journal import RunJournalSuite
from tests.arc_plugins.journals.sql.databases import journals_at, kept_bytes

pytestmark = pytest.mark.slow


class TestDurableRunJournals(RunJournalSuite):
    """In SQLite and PostgreSQL."""

    outlives_process = True
    jittered_runs = 40

    @pytest.fixture(autouse=True)
    def _address(self, database: str) -> None:
        self._url = database

    def make_journals(self) -> RunStore:
        return journals_at(self._url)

    def reopen(self) -> RunStore:
        return journals_at(self._url)

    async def kept_bytes(self, journals: Any) -> int | None:
        """What Arc's own tables take, with their indexes."""
        return kept_bytes(self._url)
