"""A task whose client is killed: another process goes on with it."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core.testing import ScriptedChatModel
from tests.arc_plugins.tools.mcp.test_followed_task import PROGRAM, Desk

KILLED = str(Path(__file__).with_name("killed_program.py"))


@pytest.mark.slow
async def test_a_task_survives_the_death_of_its_process(tmp_path: Path) -> None:
    """The tool is called once, and the run has its result."""
    desk = Desk(tmp_path, "2026")
    server = {"command": sys.executable, "args": [PROGRAM, desk.era, str(desk.file)]}
    kept = {"enabled": True, "url": f"sqlite:///{tmp_path}/runs.db", "work": True}
    settings = {"durable": kept, "mcp": {"servers": {"desk": server}}}

    arguments = (KILLED, json.dumps(settings), str(desk.file))
    dying = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    assert await dying.wait() == -signal.SIGKILL
    model = ScriptedChatModel(["Done."])
    async with (
        Application(ArcSettings.model_validate(settings), register=[model]) as app,
        app.attach("r-1") as run,
    ):
        result = await run.result()

    assert result.content == "Done."
    assert len(desk.asked("tools/call")) == 1
