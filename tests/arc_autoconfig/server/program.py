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

import arc_core
from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve

__all__ = ["WORDS", "main"]

WORDS = 300
_PACE_S = 0.005


@arc_core.tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class ProgramModel(arc_core.ChatModel):
    """Pays, talks for a while, or repeats what it was told."""

    async def complete(self, request: arc_core.ChatRequest) -> arc_core.ChatResponse:
        """The answer, which depends on the last message."""
        last = request.messages[-1]
        if isinstance(last, arc_core.ToolResultMessage):
            return _answer(f"Result: {last.results[0].content}")
        asked = [
            str(each.content) for each in request.messages if isinstance(each, arc_core.UserMessage)
        ]
        if "pay" in asked[-1]:
            calls = (arc_core.ToolCall("c1", "pay", '{"amount": 3}'),)
            return arc_core.ChatResponse(
                arc_core.AssistantMessage("", tool_calls=calls), arc_core.TokenUsage(1, 1)
            )
        if "talk" in asked[-1]:
            return _answer(" ".join(f"word{number}" for number in range(WORDS)))
        return _answer(f"I was told: {'; '.join(asked)}")

    async def stream(self, request: arc_core.ChatRequest) -> AsyncGenerator[arc_core.ChatDelta]:
        """The same in pieces, some milliseconds apart."""
        message = (await self.complete(request)).message
        for number, word in enumerate(message.text.split(" ")):
            if message.content:
                yield arc_core.ChatDelta(text=f" {word}" if number else word)
                await asyncio.sleep(_PACE_S)
        calls = tuple(
            arc_core.ToolCallDelta(0, each.id, each.name, each.arguments)
            for each in message.tool_calls
        )
        reason = arc_core.FinishReason.TOOL_CALLS if calls else arc_core.FinishReason.STOP
        yield arc_core.ChatDelta(
            tool_calls=calls, usage=arc_core.TokenUsage(1, 1), finish_reason=reason
        )


def _answer(text: str) -> arc_core.ChatResponse:
    return arc_core.ChatResponse(arc_core.AssistantMessage(text), arc_core.TokenUsage(1, 1))


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
