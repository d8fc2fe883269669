"""What becomes of the calls by which a model turns to another agent."""

from dataclasses import dataclass

from arc_core.engine.tool_calls.delegation import Delegation
from arc_core.engine.tool_calls.handoff import Handoff

__all__ = ["AgentCalls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCalls:
    """The two ways.

    Attributes:
        delegation: The other agent answers in a run of its own.
        handoff: The other agent goes on with the run.
    """

    delegation: Delegation
    handoff: Handoff
