"""Journals in memory, by the rules for all journals."""

from arc_core import RunStore
from arc_core.log import get_logger
from arc_core.testing.conformance.run_journal import RunJournalSuite
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals


class TestInMemoryRunJournals(RunJournalSuite):
    """They are journals like any other."""

    def make_journals(self) -> RunStore:
        return InMemoryRunJournals(logger=get_logger("journals"), max_finished=2_000)
