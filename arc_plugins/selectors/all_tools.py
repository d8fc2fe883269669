"""Offers every tool: the default, right for a few dozen tools; more of them cost tokens."""

from collections.abc import Sequence

from arc_core import Tool, ToolSelector


class AllToolSelector(ToolSelector):
    """Selects all tools, whatever is asked."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """All of `tools`, in their order."""
        return tools
