"""Finds the tool calls that may lead to one which waits for a person, by way of other agents."""

from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.engine.tools.approvals import Approvals
from arc_core.engine.tools.tool_inventory import Inventory
from arc_core.engine.tools.tool_selection import ToolOffering
from arc_core.interfaces.tools.tool import Tool


class ApprovalReach:
    """Follows the calls that agents may make of each other.

    Attributes:
        approvals: The same.
    """

    def __init__(self, approvals: Approvals, selection: ToolOffering) -> None:
        self.approvals, self._selection = approvals, selection
        self._inventory: Inventory | None = None
        self._asking: dict[str, bool] = {}
        self._is_marked = False

    def may_ask(self) -> bool:
        """Return True if a call of any run may wait, as far as it is known now."""
        if self.approvals.may_ask:
            return True
        self._look()
        return self._is_marked

    def may_ask_about(self, tool: Tool) -> bool:
        """Return True if a call of a tool may wait, or lead to one that does."""
        if self.approvals.may_ask_about(tool):
            return True
        if getattr(tool, "asks_agents", False):
            return self.may_ask()
        return isinstance(tool, AgentTool) and self._may_come_to_ask(tool.agent_name)

    def _may_come_to_ask(self, agent: str) -> bool:
        """Return True if an agent may, itself or by another one."""
        self._look()
        if agent not in self._asking:
            self._asking[agent] = self._find(agent)
        return self._asking[agent]

    def _look(self) -> None:
        """Forget what is known when there are other tools than before."""
        inventory = self._selection.inventory.collect()
        if inventory is not self._inventory:
            self._inventory, self._asking = inventory, {}
            every = (*inventory.local, *inventory.selectable.values())
            self._is_marked = any(map(self.approvals.may_ask_about, every))

    def _find(self, agent: str) -> bool:
        found, open_names = {agent}, [agent]
        while open_names:
            for tool in self._selection.find_tools(open_names.pop()):
                if self.approvals.may_ask_about(tool):
                    return True
                if getattr(tool, "asks_agents", False) and self.may_ask():
                    return True
                if isinstance(tool, AgentTool | HandoffTool) and tool.agent_name not in found:
                    found.add(tool.agent_name)
                    open_names.append(tool.agent_name)
        return False
