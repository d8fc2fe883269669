"""The tools that programs may call without a model."""

from collections.abc import Sequence

from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.engine.tools.approvals import ApprovalReach, has_questions
from arc_core.engine.tools.tool_inventory import ToolInventory
from arc_core.interfaces.run_scope import RunScopes
from arc_core.interfaces.tools.tool import Tool


class CallableTools:
    """Those about which no person is always asked, that need no value, and ask no other agent."""

    def __init__(
        self, inventory: ToolInventory, *, reach: ApprovalReach, scopes: RunScopes
    ) -> None:
        self._inventory, self._reach, self._scopes = inventory, reach, scopes

    def list(self) -> Sequence[Tool]:
        """Return those that there are at this moment, unique by name."""
        return [tool for tool in self._inventory.collect().tools if self._is_callable(tool)]

    def may_wait(self, tool: Tool) -> bool:
        """Return whether a call of a tool may have to wait for a person, as only runs can."""
        return has_questions(tool) or self._reach.may_ask_about(tool)

    def _is_callable(self, tool: Tool) -> bool:
        if isinstance(tool, AgentTool | HandoffTool) or self._reach.approvals.always_ask(tool):
            return False
        return self._scopes.find_missing([tool.name], None) is None
