"""The contract of every `RunStore`, as tests."""

from arc_core.testing.conformance.run_journal.capabilities import CapabilityRules
from arc_core.testing.conformance.run_journal.decisions import DecisionRules
from arc_core.testing.conformance.run_journal.events import EventRules
from arc_core.testing.conformance.run_journal.lives import LifeRules
from arc_core.testing.conformance.run_journal.steps import StepRules

__all__ = ["RunJournalSuite"]


class RunJournalSuite(StepRules, DecisionRules, EventRules, LifeRules, CapabilityRules):
    """Inherit from it and say how your journals are made, in `make_journals`.

    What needs a process to be killed is not among it. A store with
    `Capability.LISTS` is asked to find runs, one with `Capability.RECORDS` for its records; for
    others these tests are skipped.
    """
