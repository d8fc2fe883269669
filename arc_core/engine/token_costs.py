"""How many tokens messages and tools cost; counted once per object, since they never change."""

import json
import weakref
from collections.abc import Iterable

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
    """Counts are kept as long as the message or tool itself lives; by identity, so hashing is free.

    Args:
        estimator: Counts texts.
    """

    def __init__(self, estimator: TokenEstimator) -> None:
        self._estimator = estimator
        self._known: dict[int, tuple[weakref.ref[object], int]] = {}

    def of_text(self, text: str) -> int:
        """Tokens of a text, counted every time."""
        return self._estimator.estimate(text)

    def of_message(self, message: Message) -> int:
        """Tokens of text, tool-call names and arguments, and tool results."""
        entry = self._known.get(id(message))
        if entry is not None:
            return entry[1]
        return self._keep(message, self._count(message))

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages."""
        total = 0
        for message in messages:
            entry = self._known.get(id(message))
            total += self.of_message(message) if entry is None else entry[1]
        return total

    def of_tool(self, tool: Tool) -> int:
        """Tokens of name, description and parameters."""
        entry = self._known.get(id(tool))
        if entry is not None:
            return entry[1]
        described = f"{tool.name} {tool.description} {json.dumps(dict(tool.parameters))}"
        return self._keep(tool, self._estimator.estimate(described))

    def _keep(self, value: object, cost: int) -> int:
        key = id(value)
        try:
            reference = weakref.ref(value, lambda _: self._known.pop(key, None))
        except TypeError:  # a tool with slots: counted every time
            return cost
        self._known[key] = (reference, cost)
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
