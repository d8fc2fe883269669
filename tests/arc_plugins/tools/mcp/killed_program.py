"""A kept run that calls a task, in a process that is killed while it waits for the task.

`python killed_program.py SETTINGS FILE`: the settings as JSON, and what the server writes.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import anyio

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, ToolCall
from arc_core.testing import ScriptedChatModel


def is_waiting(file: Path) -> bool:
    return file.exists() and "tasks/get" in file.read_text()


async def main(settings: str, file: Path) -> None:
    model = ScriptedChatModel([[ToolCall("c-1", "work", "{}")], "Done."])
    async with Application(ArcSettings(**json.loads(settings)), register=[model]) as app:
        await app.submit(AgentCommand(user_prompt="Work.", user_id="ann"), run_id="r-1")
        for _ in range(10_000):
            if is_waiting(file):
                os.kill(os.getpid(), signal.SIGKILL)
            await asyncio.sleep(0.005)


anyio.run(main, sys.argv[1], Path(sys.argv[2]))
