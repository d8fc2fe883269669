"""Whether a run can go on with the tools on offer; asked once, before the model is."""

from collections.abc import Sequence

from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.tool import Tool

__all__ = ["check_tools"]


def check_tools(run: Run, tools: Sequence[Tool]) -> None:
    """Refuse a run that cannot do what it is asked to.

    Raises:
        RunStoppedError: INVALID_INPUT; a tool needs deps that the run was not given.
    """
    missing = run.scope.find_missing(tool.name for tool in tools)
    if missing is not None:
        raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)
