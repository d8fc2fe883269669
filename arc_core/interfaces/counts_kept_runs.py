"""Metrics that count the runs that journals keep: what an `AgentMetrics` may add.

The engine asks metrics that have the method, synchronously, whenever journals that are
`ReportsKeptRuns` tell of a change. An exception is logged and changes nothing.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

__all__ = ["CountsKeptRuns", "KeptRunCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRunCounts:
    """How many runs are kept that have not ended.

    Attributes:
        waiting: Those for which people have to decide, in all processes that share the journals.
        queued: Those that no process has taken, in all processes that share the journals.
        running: Those that this process runs.
        taken_over: How many this process has taken over from one that has died, since the counts
            before.
    """

    waiting: int = 0
    queued: int = 0
    running: int = 0
    taken_over: int = 0


@runtime_checkable
class CountsKeptRuns(Protocol):
    """Metrics that count kept runs."""

    @abstractmethod
    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """One of the counts has changed."""
        ...
