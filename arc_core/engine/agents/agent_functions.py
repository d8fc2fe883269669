"""Functions of agents, which write instructions and check answers; if one fails, the run ends."""

from collections.abc import Iterable

from arc_core.agents.agent import Agent
from arc_core.agents.functions import AgentFunction
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode, OutputRetry
from arc_core.interfaces.run_scope import RunContext
from arc_core.text.masking import mask_text

_MAX_CHARS = 4000
_WITHOUT_TEXT = "The answer is not good enough."


class AgentFunctions:
    """Calls the functions of the agent that answers, if it has any.

    Attributes:
        instructions: Those that write instructions, by the name of the agent.
    """

    def __init__(self, agents: Iterable[Agent], *, boundary: Boundary, otherwise: str) -> None:
        self._boundary, self._otherwise = boundary, otherwise
        self.instructions: dict[str | None, AgentFunction] = {}
        self._checks: dict[str | None, AgentFunction] = {}
        for agent in agents:
            if agent.instructions_function is not None:
                self.instructions[agent.name] = agent.instructions_function
            if agent.output_check_function is not None:
                self._checks[agent.name] = agent.output_check_function

    async def write_instructions(self, run: ActiveRun) -> str:
        """The system prompt of a run whose command has none.

        Raises:
            RunStoppedError: The function needs deps that the run was not given, or it failed, took
                too long or returned something else than a text.
        """
        function = self.instructions.get(run.command.agent)
        if function is None:
            return self._otherwise
        _require_deps(run, "instructions")
        context = run.scope.context
        text = await self._boundary.call(
            policies.INSTRUCTIONS, function, lambda: function.call(context)
        )
        if isinstance(text, Failed):
            raise RunStoppedError(AgentErrorCode.UNAVAILABLE) from text.error
        assert isinstance(text, str)
        return text

    def require_deps_of_check(self, run: ActiveRun) -> None:
        """End a run that was not given the deps that the check of its answers asks for."""
        if run.command.agent in self._checks:
            _require_deps(run, "output_check")

    async def check_output(self, run: ActiveRun, output: object) -> str | None:
        """Return what the model is to be told of its answer; None if the answer is good.

        Raises:
            RunStoppedError: The function failed, took too long or returned something else than
                None or an `OutputRetry`.
        """
        function = self._checks.get(run.command.agent)
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


def _require_deps(run: ActiveRun, part: str) -> None:
    if (missing := run.scope.find_missing((part,))) is not None:
        raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)


async def _call(function: AgentFunction, context: RunContext, output: object) -> object:
    try:
        return await function.call(context, output)
    except OutputRetry as retry:
        return retry
