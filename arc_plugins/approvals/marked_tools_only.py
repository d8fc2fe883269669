"""Leaves it to the tools and to the settings which calls wait for a person.

The default: pick another policy if it depends on the caller, the amount or the hour.
"""

from arc_core import ApprovalPolicy, PolicyResult, Run, ToolCallContext


class MarkedToolsOnlyPolicy(ApprovalPolicy):
    """Lets every call run that is not marked."""

    never_asks = True

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """Let it run."""
        return Run()
