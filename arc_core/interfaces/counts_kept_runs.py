"""Metrics that count the runs that a store keeps: what an `AgentMetrics` may add.

The engine asks metrics that have the method, synchronously, whenever the store reports a change. An
exception is logged and changes nothing.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.runs.store import KeptRunCounts

__all__ = ["CountsKeptRuns"]


@runtime_checkable
class CountsKeptRuns(Protocol):
    """Metrics that count kept runs."""

    @abstractmethod
    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """One of the counts has changed."""
        ...
