"""A process whose agent is on a shared budget, for tests to kill: `python -m … SETTINGS RUN PLACE`.

Its model calls a tool and then answers; each of the two calls is 15 tokens. At PLACE, `tool` or
`model`, the process stops for ever. Without one it waits for the end of the run and tells it.
"""

import asyncio
import json
import sys
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, ChatRequest, ToolCall, ToolResultMessage, tool
from arc_core.testing import ScriptedChatModel

__all__ = ["TENANT_KEY", "main"]

TENANT_KEY = "tenant"


async def main(settings: str, run_id: str, place: str) -> None:
    """Begin the run, or go on with it."""

    async def stop_at(here: str) -> None:
        if here == place:
            print("stopped", flush=True)  # noqa: T201 -- a pipe to the test
            await asyncio.Event().wait()

    @tool
    async def look() -> str:
        """Look."""
        await stop_at("tool")
        return "seen"

    class Model(ScriptedChatModel):
        async def stream(self, request: ChatRequest) -> Any:
            if any(isinstance(each, ToolResultMessage) for each in request.messages):
                await stop_at("model")
            async for delta in super().stream(request):
                yield delta

    def answer(request: ChatRequest) -> Any:
        has_looked = any(isinstance(each, ToolResultMessage) for each in request.messages)
        return "Seen." if has_looked else [ToolCall("1", "look", "{}")]

    values = json.loads(settings)
    tenant = values.pop(TENANT_KEY)
    app = Application(ArcSettings.model_validate(values), register=[Model([answer] * 2), look])
    async with app:
        command = AgentCommand(user_prompt="Look.", tenant_id=tenant, user_id="ann")
        await app.submit(command, run_id=run_id)
        async with app.attach(run_id) as run:
            result = await run.result()
        used = result.token_usage.total_tokens if result.token_usage else 0
        print("ended", result.content, used, flush=True)  # noqa: T201 -- a pipe to the test


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))  # noqa: TID251 -- the process is its own
