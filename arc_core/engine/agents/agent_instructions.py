"""Instructions that functions of agents write; one that fails ends the run."""

from collections.abc import Iterable, Mapping

from arc_core.agents.agent import Agent
from arc_core.agents.functions import AgentFunction
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode

__all__ = ["AgentInstructions"]


class AgentInstructions:
    """Writes the system prompt of a run whose command has none.

    Args:
        agents: Of the engine.
        boundary: Calls their functions.
        otherwise: The instructions of agents that have none.

    Attributes:
        functions: By the name of the agent.
    """

    def __init__(self, agents: Iterable[Agent], *, boundary: Boundary, otherwise: str) -> None:
        self._boundary, self._otherwise = boundary, otherwise
        self.functions: Mapping[str | None, AgentFunction] = {
            agent.name: agent.instructions_function
            for agent in agents
            if agent.instructions_function is not None
        }

    async def of(self, run: ActiveRun) -> str:
        """The instructions of a run.

        Raises:
            RunStoppedError: The function needs deps that the run was not given, or it failed, took
                too long or returned something else than a text.
        """
        function = self.functions.get(run.command.agent)
        if function is None:
            return self._otherwise
        if (missing := run.scope.find_missing(("instructions",))) is not None:
            raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)
        context = run.scope.context
        text = await self._boundary.call(
            policies.INSTRUCTIONS, function, lambda: function.call(context)
        )
        if isinstance(text, Failed):
            raise RunStoppedError(AgentErrorCode.UNAVAILABLE) from text.error
        assert isinstance(text, str)
        return text
