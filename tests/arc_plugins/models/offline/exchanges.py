"""Tool calls with their results."""

import json

from arc_core import ToolCall, ToolOutcome, ToolResult
from arc_plugins.models.offline.answer import Exchange


def exchange(
    name: str, content: str, *, outcome: ToolOutcome = ToolOutcome.SUCCESS, **arguments: object
) -> Exchange:
    """A call of a tool and what it gave."""
    call = ToolCall("1", name, json.dumps(arguments, ensure_ascii=False))
    return Exchange(call, ToolResult("1", name, content, outcome))
