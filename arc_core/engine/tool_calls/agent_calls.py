"""The calls by which a model turns to another agent: delegation and handoff."""

from dataclasses import dataclass

from arc_core.command import AgentCommand
from arc_core.engine.delegated_task import DelegatedTask
from arc_core.engine.run_limits import is_at_limit
from arc_core.engine.run_state import ActiveRun
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome

__all__ = ["AgentCalls", "Delegation", "Handoff"]

logger = get_logger("delegation")


class Delegation:
    """Starts runs of other agents, and gives their answers to the model that asked.

    Args:
        max_depth: How many runs may stand below the one that a program has started, each started
            by the one above.
    """

    def __init__(self, *, max_depth: int) -> None:
        self._max_depth = max_depth

    async def ask(
        self, run: ActiveRun, agent: str, task: str, *, shown: str, call_index: int
    ) -> tuple[str, ToolOutcome]:
        """Return the text for the model: the answer, or that there is none.

        Args:
            run: That asks.
            agent: Who is asked.
            task: The prompt.
            shown: As everyone but that agent may see it.
            call_index: The place of the call among all calls of the run.
        """
        if run.depth >= self._max_depth or run.start_inner is None:
            logger.info("delegation is too deep", asked=agent, max_depth=self._max_depth)
            text = f"Error: Maximum depth of delegation ({self._max_depth}) reached"
            return text, ToolOutcome.LIMIT_REACHED
        if is_at_limit(run):
            return "Error: A limit of this run is reached", ToolOutcome.LIMIT_REACHED
        asked = run.command
        command = AgentCommand(
            user_prompt=task,
            agent=agent,
            user_id=asked.user_id,
            tenant_id=asked.tenant_id,
            metadata=asked.metadata,
        )
        result = await run.start_inner(
            run, DelegatedTask(command=command, shown=shown, call_index=call_index)
        )
        if result.success and result.content is not None:
            return result.content, ToolOutcome.SUCCESS
        logger.info("delegated run failed", asked=agent, code=str(result.error_code))
        return f"Error: The agent '{agent}' has no answer", ToolOutcome.FAILED


class Handoff:
    """Takes the calls of the tools by which models hand over; the turn after it is the other's.

    Args:
        max_handoffs: Of one run, so that agents cannot hand it back and forth for ever.
    """

    def __init__(self, *, max_handoffs: int) -> None:
        self._max_handoffs = max_handoffs

    def accept(self, run: ActiveRun, agent: str) -> tuple[str, ToolOutcome]:
        """Return the text for the model; of several calls in one turn the first counts."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCalls:
    """The two ways.

    Attributes:
        delegation: The other agent answers in a run of its own.
        handoff: The other agent goes on with the run.
    """

    delegation: Delegation
    handoff: Handoff
