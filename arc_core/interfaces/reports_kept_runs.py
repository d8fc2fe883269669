"""Journals that say how many runs they keep: what a `RunJournals` may add.

The engine asks journals that have the method, once, before it starts them, and hands what they tell
to metrics that are `CountsKeptRuns`.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from arc_core.interfaces.counts_kept_runs import KeptRunCounts

__all__ = ["ReportsKeptRuns"]


@runtime_checkable
class ReportsKeptRuns(Protocol):
    """Journals that report the runs they keep."""

    @abstractmethod
    def report_runs(self, record: Callable[[KeptRunCounts], None]) -> None:
        """Take what is to be called, in the event loop, with all counts whenever one changes.

        Args:
            record: Returns at once, and never raises.
        """
        ...
