"""Whether a tool call is made that people may have to be asked about."""

from collections.abc import Sequence

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.journal.steps import Steps
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tool_calls.call_state import CallState, hook_context
from arc_core.engine.tool_calls.tool_arguments import find_argument_problems, peek_arguments
from arc_core.engine.tools.approvals import Approvals, AskedCall, Settled
from arc_core.interfaces.tools.tool import Tool

__all__ = ["CallApproval"]


class CallApproval:
    """Settles the calls of one turn.

    Args:
        approvals: Ask the policy, and people.
        boundary: Calls tools that check their arguments.
        timeout_s: How long such a check may take.
    """

    def __init__(self, approvals: Approvals, *, boundary: Boundary, timeout_s: float) -> None:
        self._approvals, self._boundary, self._timeout_s = approvals, boundary, timeout_s

    async def settle(
        self, run: ActiveRun, steps: Steps, call: CallState, *, tool: Tool | None
    ) -> Settled:
        """Find out whether a call is made, which an earlier life may have asked people about.

        Raises:
            RunSuspended: A person is asked, or this process cannot make what they have approved.
            RunStoppedError: An output guard rejects the words of the policy.
        """
        asked = AskedCall(
            call=call.call,
            tool=tool,
            context=hook_context(run, call, arguments=peek_arguments(call.call.arguments)),
            shown=peek_arguments(call.shown.arguments),
            earlier=call.earlier,
            find_problems=self._find_problems,
        )
        return await self._approvals.settle(run, steps, asked)

    async def _find_problems(self, tool: Tool, arguments: str) -> Sequence[str]:
        """What of arguments does not fit a tool; nothing if only a call can tell."""
        found = await self._boundary.call(
            policies.TOOL,
            tool,
            lambda: find_argument_problems(tool, arguments),
            timeout_s=self._timeout_s,
        )
        return () if isinstance(found, Failed) else found
