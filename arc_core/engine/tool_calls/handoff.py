"""An agent hands its run over to another one."""

from arc_core.engine.run_state import ActiveRun
from arc_core.messages import ToolOutcome

__all__ = ["Handoff"]


class Handoff:
    """Takes the calls of the tools by which models hand over; the turn after it is the other's.

    Args:
        max_handoffs: Of one run, so that agents cannot hand it back and forth for ever.
    """

    def __init__(self, *, max_handoffs: int) -> None:
        self._max_handoffs = max_handoffs

    def accept(self, run: ActiveRun, agent: str) -> tuple[str, ToolOutcome]:
        """What the model is told; of several calls in one turn the first counts."""
        if run.hands_over_to is not None:
            return "Error: Only one agent can take over", ToolOutcome.FAILED
        if len(run.handoffs) >= self._max_handoffs:
            text = f"Error: Maximum number of handoffs ({self._max_handoffs}) reached"
            return text, ToolOutcome.LIMIT_REACHED
        run.hands_over_to = agent
        return f"{agent} takes over.", ToolOutcome.SUCCESS

    def withdraw(self, run: ActiveRun) -> None:
        """Let the run stay with its agent, as what was to be done at the handoff has failed."""
        run.hands_over_to = None
