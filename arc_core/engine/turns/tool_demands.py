"""Whether a run can go on with the tools on offer; asked once, before the model is."""

from collections.abc import Sequence
from difflib import get_close_matches

from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.tool import Tool

__all__ = ["check_tools"]


def check_tools(run: ActiveRun, tools: Sequence[Tool]) -> None:
    """Refuse a run that cannot do what it is asked to.

    Raises:
        RunStoppedError: INVALID_INPUT; a tool needs deps that the run was not given, or the command
            demands a tool call that cannot be.
    """
    choice = run.command.tool_choice
    if choice is not None and choice != "auto":
        _check_choice(choice, [tool.name for tool in tools])
    missing = run.scope.find_missing(tool.name for tool in tools)
    if missing is not None:
        raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)


def _check_choice(choice: str, names: Sequence[str]) -> None:
    if not names:
        problem = f"tool_choice is '{choice}', and the run offers no tools"
        remedy = "leave it out, or check the mode, max_tool_calls and which tools there are"
    elif choice == "none":
        problem = "tool_choice cannot be 'none'"
        remedy = "use AgentMode.STANDARD for a run without tools"
    elif choice != "required" and choice not in names:
        problem = f"tool_choice is '{choice}', and no tool of this name is on offer"
        close = get_close_matches(choice, names, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "write auto, required, or its name"
    else:
        return
    raise RunStoppedError(AgentErrorCode.INVALID_INPUT, f"{problem}: {remedy}")
