"""A chat model without network, key or language model: deterministic, for first runs and tests.

It is wired where no vendor's key is set, and costs nothing. It matches the question with the tools
on offer, fills their arguments from it, and puts the results together.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator

from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ConfigurationError,
    FinishReason,
    TokenUsage,
    ToolCallDelta,
)
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.settings import LlmSettings
from arc_plugins.models.offline.question import WORDS
from arc_plugins.models.offline.reply import reply_to

_BYTES_PER_TOKEN = 4
_PIECE = re.compile(r"\S+\s*|\s+")


class OfflineChatModel(ChatModel):
    """Calls the tools that a question seems to be about, once, and reports what they gave."""

    def __init__(self, *, settings: LlmSettings | None = None) -> None:
        self._is_chosen = settings is not None and settings.provider == "offline"
        if settings is not None and settings.host:
            raise ConfigurationError(
                f"llm.host is {settings.host!r}, and no vendor is chosen whose models it serves",
                remedy="set llm.provider, such as openai or anthropic",
            )

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Tool calls for a new question, the answer for one whose calls have their results."""
        message = reply_to(request)
        reason = FinishReason.TOOL_CALLS if message.tool_calls else FinishReason.STOP
        usage = TokenUsage(_tokens(_join_prompt(request)), _tokens(str(message)))
        return ChatResponse(message, usage=usage, finish_reason=reason)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The same as `complete`, word by word."""
        response = await self.complete(request)
        for delta in _pieces(response.message):
            yield delta
            await asyncio.sleep(0)  # as a network would, let others have their turn
        yield ChatDelta(usage=response.usage, finish_reason=response.finish_reason)

    def announcement(self) -> str | None:
        """Say that it is not a language model, unless it was chosen."""
        return None if self._is_chosen else WORDS["answers"]["announcement"]

    async def check_health(self) -> Health:
        """Warn that it is not a language model, unless it was chosen."""
        if self._is_chosen:
            summary = "the offline model was chosen, and needs no service"
            return Health(status=HealthStatus.OK, summary=summary)
        return Health(
            status=HealthStatus.WARNING,
            summary="Arc's offline model answers, which is not a language model",
            remedy="set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, "
            "or llm.provider = 'offline'",
        )


def _pieces(message: AssistantMessage) -> Iterator[ChatDelta]:
    for text in _PIECE.findall(message.text):
        yield ChatDelta(text=text)
    for index, call in enumerate(message.tool_calls):
        middle = len(call.arguments) // 2
        yield ChatDelta(tool_calls=(ToolCallDelta(index, id=call.id, name=call.name),))
        for arguments in (call.arguments[:middle], call.arguments[middle:]):
            yield ChatDelta(tool_calls=(ToolCallDelta(index, arguments=arguments),))


def _join_prompt(request: ChatRequest) -> str:
    tools = (f"{tool.name} {tool.description} {tool.parameters}" for tool in request.tools)
    return " ".join([request.system_prompt or "", *map(str, request.messages), *tools])


def _tokens(text: str) -> int:
    return -(-len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)
