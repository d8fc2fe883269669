"""The calls by which a model turns to another agent: delegation and handoff."""

from arc_core.command import AgentCommand
from arc_core.engine.run_limits import is_at_limit
from arc_core.engine.run_state import ActiveRun, DelegatedTask
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome

logger = get_logger("delegation")


async def delegate(
    run: ActiveRun, agent: str, task: str, *, shown: str, call_index: int, max_depth: int
) -> tuple[str, ToolOutcome]:
    """Ask another agent in a run of its own, and return its answer, or that there is none."""
    if run.depth >= max_depth or run.start_inner is None:
        logger.info("delegation is too deep", asked=agent, max_depth=max_depth)
        text = f"Error: Maximum depth of delegation ({max_depth}) reached"
        return text, ToolOutcome.LIMIT_REACHED
    if is_at_limit(run):
        return "Error: A limit of this run is reached", ToolOutcome.LIMIT_REACHED
    parent = run.command
    command = AgentCommand(
        user_prompt=task,
        agent=agent,
        user_id=parent.user_id,
        tenant_id=parent.tenant_id,
        metadata=parent.metadata,
    )
    result = await run.start_inner(
        run, DelegatedTask(command=command, shown=shown, call_index=call_index)
    )
    if result.success and result.content is not None:
        return result.content, ToolOutcome.SUCCESS
    logger.info("delegated run failed", asked=agent, code=str(result.error_code))
    return f"Error: The agent '{agent}' has no answer", ToolOutcome.FAILED


def hand_over(run: ActiveRun, agent: str, *, max_handoffs: int) -> tuple[str, ToolOutcome]:
    """Let another agent have the next turn; of several calls in one turn the first counts."""
    if run.hands_over_to is not None:
        return "Error: Only one agent can take over", ToolOutcome.FAILED
    if len(run.handoffs) >= max_handoffs:
        text = f"Error: Maximum number of handoffs ({max_handoffs}) reached"
        return text, ToolOutcome.LIMIT_REACHED
    run.hands_over_to = agent
    return f"{agent} takes over.", ToolOutcome.SUCCESS
