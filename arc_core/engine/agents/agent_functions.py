"""Instructions that functions of agents write; one that fails ends the run."""

from collections.abc import Iterable, Mapping

from arc_core.agents.agent import Agent
from arc_core.agents.functions import AgentFunction
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode, OutputRetry
from arc_core.interfaces.run_scope import RunContext
from arc_core.text.masking import mask_text


class AgentInstructions:
    """Writes the system prompt of a run whose command has none.

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


_PART = "output_check"
_MAX_CHARS = 4000
_WITHOUT_TEXT = "The answer is not good enough."


class OutputChecks:
    """Asks the function of the agent that answers, if it has one."""

    def __init__(self, agents: Iterable[Agent], *, boundary: Boundary) -> None:
        self._boundary = boundary
        self._functions: Mapping[str | None, AgentFunction] = {
            agent.name: agent.output_check_function
            for agent in agents
            if agent.output_check_function is not None
        }

    def require_deps(self, run: ActiveRun) -> None:
        """Check that the run has the deps that the function asks for.

        Raises:
            RunStoppedError: They were not given.
        """
        if run.command.agent not in self._functions:
            return
        if (missing := run.scope.find_missing((_PART,))) is not None:
            raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)

    async def check(self, run: ActiveRun, output: object) -> str | None:
        """Return what the model is to be told of its answer; None if the answer is good.

        Raises:
            RunStoppedError: The function failed, took too long or returned something else than
                None or an `OutputRetry`.
        """
        function = self._functions.get(run.command.agent)
        if function is None:
            return None
        context = run.scope.context
        retry = await self._boundary.call(
            policies.OUTPUT_CHECK, function, lambda: _call(function, context, output)
        )
        if isinstance(retry, Failed):
            raise RunStoppedError(AgentErrorCode.UNAVAILABLE) from retry.error
        if not isinstance(retry, OutputRetry):
            return None
        return mask_text(str(retry.text))[:_MAX_CHARS] or _WITHOUT_TEXT


async def _call(function: AgentFunction, context: RunContext, output: object) -> object:
    try:
        return await function.call(context, output)
    except OutputRetry as retry:
        return retry
