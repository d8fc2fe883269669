"""A process that works on runs and serves logins, for tests to kill: `python -m … SETTINGS`.

It reads commands, a line each, and says what happens, a line each.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    ChatRequest,
    LoginRequest,
    ToolCall,
    ToolContext,
    ToolResultMessage,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.run_journal.rules import until
from tests.serving import serving_app

__all__ = ["main"]

RUN = "r"


class Deeds:
    """What is done, a line each, in a file that outlives the process."""

    def __init__(self, log: Path, name: str) -> None:
        self._log, self._name = log, name

    def note(self, what: str) -> None:
        """Write a line."""
        with self._log.open("a") as file:
            file.write(f"{what} {self._name}\n")

    @tool
    async def look(self) -> str:
        """Look something up, without a credential."""
        self.note("look")
        return "found"

    @tool
    async def act(self, context: ToolContext) -> str:
        """Act for the user."""
        await context.credential("github")
        self.note("act")
        return "done"

    def say(self, request: ChatRequest) -> list[ToolCall] | str:
        """The turn of the model: one tool after the other."""
        turn = sum(isinstance(each, ToolResultMessage) for each in request.messages)
        self.note(f"model/{turn + 1}")
        turns = ([ToolCall("1", "look", "{}")], [ToolCall("2", "act", "{}")], "Done.")
        return turns[turn]


async def submit(app: Application) -> None:
    """Submit the run, and say by which link its login is made."""
    command = AgentCommand(user_prompt="Act", user_id="ann", tenant_id="acme")
    await app.submit(command, run_id=RUN)

    async def is_waiting() -> bool:
        return bool(await app.waiting())

    await until(is_waiting)
    (request,) = await app.waiting()
    assert isinstance(request, LoginRequest)
    print("waits", request.url, flush=True)  # noqa: T201 -- a pipe to the test


async def finish(app: Application) -> None:
    """Wait for the end of the run, and say what it is."""
    async with app.attach(RUN) as run:
        print("finished", (await run.result()).content, flush=True)  # noqa: T201 -- as above


async def main(log: str, name: str, **settings: Any) -> None:
    """Serve until standard input ends."""
    deeds = Deeds(Path(log), name)
    model = ScriptedChatModel([deeds.say] * 9)
    app = Application(
        ArcSettings(_isolated=True, **settings), register=[deeds, model], plugins=False
    )
    loop = asyncio.get_running_loop()
    async with app, serving_app(app.asgi(), lifespan="off") as address:
        print("serves", address, flush=True)  # noqa: T201 -- as above
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            await {"submit": submit, "finish": finish}[line.strip()](app)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(os.environ["TEST_WORKER"])))  # noqa: TID251 -- the process is its own
