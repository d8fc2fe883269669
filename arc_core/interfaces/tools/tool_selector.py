"""The choice of the tools that the model is offered, or the search by which it finds them itself.

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


@runtime_checkable
class SearchesTools(Protocol):
    """A selector by which the model finds tools on the way, in the place of being offered a choice.

    The engine asks such a selector, and not `select`. The model is offered the tools that are
    marked with `always_offered`, and two of the engine's: `find_tools`, which answers with what
    `find` gives, and `use_tool`, which calls any tool by its name.
    """

    @abstractmethod
    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        """The end of the system prompt: which tools there are; empty adds nothing to it.

        Asked once for the same tools. Fails open: if it raises, all tools are offered.
        """

    @abstractmethod
    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Those of `tools` that fit a query, best first; the model reads all about each of them.

        Asked once per call of `find_tools`, with the same tools. If it raises, the model is told
        that there is no search.
        """
