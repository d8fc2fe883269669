"""An executor that goes on with runs which journals keep.

The application asks the engine for it, so that a run is not done twice; others have no need of it.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal

__all__ = ["RecordsRuns"]


@runtime_checkable
class RecordsRuns(Protocol):
    """An executor that records the steps of its runs, as Arc's engine does."""

    @abstractmethod
    def is_asked(self, run_id: str) -> bool:
        """Return whether a caller in this process waits for a kept run, or reads it."""
        ...

    @abstractmethod
    async def run_kept(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        """Run what a journal keeps, from the first step that is not recorded.

        Raises:
            RunSuspended: The run leaves without an end.
        """
        ...
