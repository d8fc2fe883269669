"""How many tokens messages and tools cost; counted once per object, since they never change."""

import json
from collections.abc import Iterable

from arc_core.identity_cache import IdentityCache
from arc_core.interfaces.token_estimator import TokenEstimator
from arc_core.interfaces.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)

__all__ = ["TokenCosts"]


class TokenCosts:
    """Counts are kept as long as the message or tool itself lives.

    Args:
        estimator: Counts texts.
    """

    def __init__(self, estimator: TokenEstimator) -> None:
        self._estimator = estimator
        self._messages: IdentityCache[Message, int] = IdentityCache()
        self._tools: IdentityCache[Tool, int] = IdentityCache()

    def of_text(self, text: str) -> int:
        """Tokens of a text, counted every time."""
        return self._estimator.estimate(text)

    def of_message(self, message: Message) -> int:
        """Tokens of text, tool-call names and arguments, and tool results."""
        cost = self._messages.get(message)
        if cost is None:
            cost = self._count(message)
            self._messages.put(message, cost)
        return cost

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages."""
        return sum(map(self.of_message, messages))

    def of_tool(self, tool: Tool) -> int:
        """Tokens of name, description and parameters."""
        cost = self._tools.get(tool)
        if cost is None:
            described = f"{tool.name} {tool.description} {json.dumps(dict(tool.parameters))}"
            cost = self._estimator.estimate(described)
            self._tools.put(tool, cost)
        return cost

    def _count(self, message: Message) -> int:
        estimate = self._estimator.estimate
        match message:
            case UserMessage(content) | SystemMessage(content):
                return estimate(content)
            case AssistantMessage(content, tool_calls):
                return estimate(content) + sum(
                    estimate(call.name + call.arguments) for call in tool_calls
                )
            case ToolResultMessage(results):
                return sum(estimate(result.content) for result in results)
