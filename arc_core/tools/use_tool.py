"""The tool that stands for all tools of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core.errors import ConfigurationError
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.text.names import find_near

FIND_TOOLS, USE_TOOL = "find_tools", "use_tool"

_NEAREST = 5
_LEAST_LIKENESS = 0.5


class UseTool(Tool):
    """Calls the tool that its arguments name; the engine makes that call in place of one of this.

    Requests that offer it end their system prompt with its `catalogue`.
    """

    name, timeout_s = USE_TOOL, None
    description = (
        f"Calls a tool by its name. {FIND_TOOLS} tells which arguments it takes; the names in the "
        "catalogue can be called, too."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "arguments": {"type": "object", "description": "As the parameters of the tool say."},
        },
        "required": ["name", "arguments"],
    }

    def __init__(self, tools: Mapping[str, Tool], *, catalogue: str = "") -> None:
        self.tools, self.catalogue = tools, catalogue

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Refuse a call outside of a run; the engine makes none."""
        raise ConfigurationError(
            f"the tool {self.name!r} was called outside of a run",
            remedy="call the tool that it names itself",
        )

    def find_nearest(self, name: str) -> Sequence[str]:
        """The names that may have been meant by one that there is not, most likely first."""
        return find_near(name, self.tools, most=_NEAREST, cutoff=_LEAST_LIKENESS)
