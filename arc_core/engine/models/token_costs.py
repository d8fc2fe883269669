"""How many tokens messages and tools cost; counted once per object, since they never change."""

import json
from collections.abc import Iterable

from arc_core.components.identity_cache import IdentityCache
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.attachment_costs import tokens_of_attachment
from arc_core.interfaces.chat_model import ChatRequest
from arc_core.interfaces.token_estimator import TokenEstimator
from arc_core.interfaces.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Content, Part, Text
from arc_core.messages.media_types import is_text
from arc_core.usage import TokenUsage

__all__ = ["TokenCosts", "has_counted", "texts_of"]

_MAX_COUNTED_CHARS = 200_000  # counting more would hold the event loop
_CHARS_A_TOKEN = 2  # rather too many tokens than a request that the vendor refuses


class TokenCosts:
    """Counts are kept as long as the message or tool itself lives.

    Args:
        estimator: Counts texts.
        boundary: Calls it.
    """

    def __init__(self, estimator: TokenEstimator, *, boundary: Boundary) -> None:
        self._estimator = estimator
        self._boundary = boundary
        self._messages: IdentityCache[Message, int] = IdentityCache()
        self._tools: IdentityCache[Tool, int] = IdentityCache()

    def of_text(self, text: str) -> int:
        """Tokens of a text, counted every time; of a very long one as of its beginning."""
        length = len(text)
        if length > _MAX_COUNTED_CHARS:
            return -(-self.of_text(text[:_MAX_COUNTED_CHARS]) * length // _MAX_COUNTED_CHARS)
        tokens = self._boundary.call_now(
            policies.TOKEN_ESTIMATOR, self._estimator, self._estimator.estimate, text
        )
        if isinstance(tokens, Failed):
            return -(-len(text) // _CHARS_A_TOKEN)
        return max(0, tokens)

    def of_message(self, message: Message) -> int:
        """Tokens of text, attachments, tool-call names and arguments, and tool results."""
        cost = self._messages.get(message)
        if cost is None:
            cost = self._count(message)
            self._messages.put(message, cost)
        return cost

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages."""
        return sum(map(self.of_message, messages))

    def of_request(self, request: ChatRequest) -> int:
        """Tokens of all that a model is sent."""
        prompt = self.of_text(request.system_prompt or "")
        return prompt + sum(map(self.of_tool, request.tools)) + self.of_messages(request.messages)

    def of_answer(self, message: AssistantMessage) -> int:
        """Tokens of all that a model has written, its reasoning included."""
        return self.of_text("".join(texts_of(message)))

    def of_tool(self, tool: Tool) -> int:
        """Tokens of name, description and parameters."""
        cost = self._tools.get(tool)
        if cost is None:
            described = f"{tool.name} {tool.description} {json.dumps(dict(tool.parameters))}"
            cost = self.of_text(described)
            self._tools.put(tool, cost)
        return cost

    def _count(self, message: Message) -> int:
        estimate = self.of_text
        match message:
            case SystemMessage(content):
                return estimate(content)
            case UserMessage(content):
                return self._of_content(content)
            case AssistantMessage(content, tool_calls):
                return estimate(content) + sum(
                    estimate(call.name + call.arguments) for call in tool_calls
                )
            case ToolResultMessage(results):
                return sum(self._of_content(result.content) for result in results)

    def _of_content(self, content: Content) -> int:
        if isinstance(content, str):
            return self.of_text(content)
        return sum(map(self._of_part, content))

    def _of_part(self, part: Part) -> int:
        if isinstance(part, Text):
            return self.of_text(part.text)
        if part.data is not None and is_text(part.media_type):
            return self.of_text(part.data.decode(errors="replace"))
        return tokens_of_attachment(part)


def has_counted(usage: TokenUsage | None) -> bool:
    """Whether a vendor has counted: no call takes nothing, and none gives tokens back."""
    if usage is None:
        return False
    return min(usage.prompt_tokens, usage.completion_tokens) >= 0 and usage.total_tokens > 0


def texts_of(message: AssistantMessage) -> list[str]:
    """All that a model has written: text, reasoning, and the calls of tools."""
    texts = [message.content, *(block.text for block in message.reasoning)]
    for call in message.tool_calls:
        texts += (call.name, call.arguments)
    return texts
