"""A served application as a process: `python -m tests.arc_autoconfig.server.program`.

Its settings stand in `ARC_TEST_SETTINGS` as JSON. It prints where it serves, and ends as
`arc serve` does when it is told to by SIGTERM.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
    ToolCallDelta,
    ToolResultMessage,
    UserMessage,
    tool,
)

__all__ = ["WORDS", "main"]

WORDS = 300
_PACE_S = 0.005


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class ProgramModel(ChatModel):
    """Pays, talks for a while, or repeats what it was told."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The answer, which depends on the last message."""
        last = request.messages[-1]
        if isinstance(last, ToolResultMessage):
            return _answer(f"Result: {last.results[0].content}")
        asked = [str(each.content) for each in request.messages if isinstance(each, UserMessage)]
        if "pay" in asked[-1]:
            calls = (ToolCall("c1", "pay", '{"amount": 3}'),)
            return ChatResponse(AssistantMessage("", tool_calls=calls), TokenUsage(1, 1))
        if "talk" in asked[-1]:
            return _answer(" ".join(f"word{number}" for number in range(WORDS)))
        return _answer(f"I was told: {'; '.join(asked)}")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        """The same in pieces, some milliseconds apart."""
        message = (await self.complete(request)).message
        for number, word in enumerate(message.content.split(" ")):
            if message.content:
                yield ChatDelta(text=f" {word}" if number else word)
                await asyncio.sleep(_PACE_S)
        calls = tuple(
            ToolCallDelta(0, each.id, each.name, each.arguments) for each in message.tool_calls
        )
        reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        yield ChatDelta(tool_calls=calls, usage=TokenUsage(1, 1), finish_reason=reason)


def _answer(text: str) -> ChatResponse:
    return ChatResponse(AssistantMessage(text), TokenUsage(1, 1))


async def main() -> None:
    """Serve until SIGTERM."""
    settings = ArcSettings(_isolated=True, **json.loads(os.environ["ARC_TEST_SETTINGS"]))
    app = Application(settings, register=[ProgramModel(), pay], plugins=False)
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    await serve(app, ending=ending, tell=_say)


def _say(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())  # noqa: TID251 -- the process is its own
