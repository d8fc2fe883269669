"""How many runs there are in each state, for metrics."""

from collections import Counter
from collections.abc import Callable

from arc_core import KeptRunCounts, RunState
from arc_plugins.journals.in_memory.kept_run import KeptRun

__all__ = ["RunCounting"]


class RunCounting:
    """Counts the runs that have not ended, as they go from state to state.

    Attributes:
        record: Is told the counts when one has changed; None if they go nowhere.
    """

    def __init__(self) -> None:
        self.record: Callable[[KeptRunCounts], None] | None = None
        self._by_state = Counter[RunState | None]()

    def note(self, run: KeptRun) -> None:
        """Count a run in the state in which it is now."""
        if self.record is None:
            return
        is_over = run.is_lost or run.result is not None
        state = None if is_over else run.state
        if state is run.counted_as:
            return
        self._by_state[run.counted_as] -= 1
        self._by_state[state] += 1
        run.counted_as = state
        self.record(
            KeptRunCounts(
                waiting=self._by_state[RunState.WAITING],
                queued=self._by_state[RunState.QUEUED],
                running=self._by_state[RunState.RUNNING],
            )
        )
