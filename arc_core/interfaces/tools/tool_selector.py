"""The choice of the tools that the model is offered.

The engine asks once per run, after duplicate names have been dropped. Fails open: if the selector
raises, all tools are offered.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.interfaces.tools.tool import Tool


@slot("tool_selector", group="arc.tool_selectors")
@runtime_checkable
class ToolSelector(Protocol):
    """Chooses tools by what the user asks."""

    @abstractmethod
    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """A selection of `tools`, best first."""
        ...
