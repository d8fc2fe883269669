"""Tools that come and go while an application runs, such as those of another process.

A source is contributed as a tool is. The engine asks it once per run, before it selects; the
tools come after those of plugins, in the order of their sources. Fails open: a source that raises
costs the run its tools.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import variant_of
from arc_core.interfaces.tool import Tool

__all__ = ["ToolSource"]


@variant_of(Tool)
@runtime_checkable
class ToolSource(Protocol):
    """Knows which tools there are at this moment."""

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """The tools that can be called now; the same object as before if nothing has changed.

        Called on the event loop before each run: it answers at once, from what it knows.
        """
        ...
