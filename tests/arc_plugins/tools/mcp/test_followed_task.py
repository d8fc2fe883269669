"""Calls that become tasks at their server, in both forms of the protocol."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentExecutor,
    AgentResult,
    Answer,
    Decision,
    QuestionRequest,
    Request,
    ToolCall,
    ToolCallProgress,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.suspending import let_go
from tests.arc_plugins.tools.mcp.hostile import mcp_tools

PROGRAM = str(Path(__file__).with_name("tasks_program.py"))
COMMAND = AgentCommand(user_prompt="Work.", user_id="ann")
ERAS = ("2025", "2026")

pytestmark = pytest.mark.slow


class Desk:
    """A server whose calls become tasks, and runs that call it."""

    def __init__(self, folder: Path, era: str) -> None:
        self.file, self.era = folder / "asked.jsonl", era
        self.journals, self.lives = DictRunJournals(), 0

    def asked(self, method: str) -> list[dict[str, Any]]:
        """All that the server was asked by a method, in all its processes."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [each["params"] for each in map(json.loads, lines) if each["method"] == method]

    @asynccontextmanager
    async def open(self, tool: str, **more: Any) -> AsyncIterator[AgentExecutor]:
        """An agent that calls the tool, in a process of the server."""
        server = {"command": sys.executable, "args": [PROGRAM, self.era, str(self.file)], **more}
        self.lives += 1
        turns: list[Any] = [[ToolCall("c-1", tool, "{}")], *["Done."] * 4]
        model = ScriptedChatModel(turns if self.lives == 1 else turns[1:])
        async with running(mcp_tools(desk=server)) as source:
            agent = scripted_agent(model, tools=(source,), run_journals=self.journals)
            async with running(agent):
                yield agent

    async def answer(self, waiting: AgentResult) -> tuple[Request, AgentResult]:
        """What a run has asked, and its result once that is answered."""
        [request] = waiting.waiting
        decision = Decision(answer=Answer({"account": "A1"}), by="ann", at=datetime.now(UTC))
        await self.journals.decide(waiting.run_id, request.key, decision)
        return request, await self.journals.take_up(waiting.run_id)

    async def wait_for(self, method: str) -> None:
        """Wait until the server was asked something."""
        for _ in range(2000):
            if self.asked(method):
                return
            await asyncio.sleep(0.01)

    async def leave(self, tool: str, *, after: str) -> None:
        """Begin a run in a process that is gone once the server was asked something."""
        async with self.open(tool):
            journal = self.journals.open(COMMAND, run_id="r-1")
            await let_go(self.journals, journal, self.wait_for(after))


@pytest.fixture(params=ERAS)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """The desk of an era."""
    return Desk(tmp_path, request.param)


@pytest.fixture
def new_desk(tmp_path: Path) -> Desk:
    """The desk of the extension."""
    return Desk(tmp_path, "2026")


def result_of(result: AgentResult) -> ToolResult:
    """The result of the call."""
    [message] = [each for each in result.messages if isinstance(each, ToolResultMessage)]
    return message.results[0]


async def test_a_task_is_polled_to_its_end(desk: Desk) -> None:
    """Its result is read as that of any call."""
    async with desk.open("work") as agent:
        result = await agent.execute(COMMAND)

    assert result_of(result).outcome is ToolOutcome.SUCCESS
    assert len(desk.asked("tasks/get")) >= 3


async def test_an_error_in_the_result_of_a_task_is_told_to_the_model(desk: Desk) -> None:
    """In the words of the server."""
    async with desk.open("pays") as agent:
        result = await agent.execute(COMMAND)

    assert result_of(result).text == "Error: no money"


async def test_a_task_is_asked_for_at_once_when_its_server_tells_of_it(desk: Desk) -> None:
    """A minute before the server wants to be asked again."""
    async with desk.open("push", call_timeout_s=30) as agent:
        result = await agent.execute(COMMAND)

    assert result_of(result).outcome is ToolOutcome.SUCCESS


async def test_a_run_resumes_with_the_task_of_a_process_that_is_gone(desk: Desk) -> None:
    """It calls the tool once, and asks for the task that it has recorded."""
    await desk.leave("work", after="tasks/get")

    async with desk.open("work"):
        result = await desk.journals.take_up("r-1")

    assert result_of(result).outcome is ToolOutcome.SUCCESS
    assert len(desk.asked("tools/call")) == 1
    assert {each["taskId"] for each in desk.asked("tasks/get")} == {"work-1"}
    assert desk.asked("tasks/cancel") == []


async def test_a_task_that_its_server_has_forgotten_is_not_begun_again(new_desk: Desk) -> None:
    """The model is told that it may have been done."""
    await new_desk.leave("forgets", after="tasks/get")

    async with new_desk.open("forgets"):
        result = await new_desk.journals.take_up("r-1")

    assert result_of(result).text.startswith("Error: The server does not know the task")
    assert len(new_desk.asked("tools/call")) == 1


async def test_a_task_without_an_end_is_cancelled_at_the_time_limit(desk: Desk) -> None:
    """Of its tool, which the settings may give to a server."""
    async with desk.open("never", call_timeout_s=0.5) as agent:
        result = await agent.execute(COMMAND)

    assert result_of(result).outcome is ToolOutcome.TIMED_OUT
    assert [each["taskId"] for each in desk.asked("tasks/cancel")] == ["never-1"]


async def test_a_task_is_cancelled_with_its_run(desk: Desk) -> None:
    """And what the server says of it is told as progress until then."""
    told = list[str]()
    async with desk.open("never") as agent:
        async for event in agent.stream_events(COMMAND):
            if isinstance(event, ToolCallProgress):
                told.append(event.message)
                break

    assert told == ["still at it"]
    assert len(desk.asked("tasks/cancel")) == 1


async def test_what_a_task_asks_is_a_question_to_the_user(new_desk: Desk) -> None:
    """The run waits; the same task gets the answer, once."""
    async with new_desk.open("ask") as agent:
        request, result = await new_desk.answer(await agent.execute(COMMAND))

    assert isinstance(request, QuestionRequest)
    assert request.text == "The server desk asks: Which account?"
    assert '"account": "A1"' in result_of(result).text
    assert len(new_desk.asked("tools/call")) == len(new_desk.asked("tasks/update")) == 1
    assert new_desk.asked("tasks/cancel") == []


async def test_a_task_of_2025_that_asks_is_begun_again_with_the_answer(tmp_path: Path) -> None:
    """Its question is part of an open call, as those of that era are."""
    desk = Desk(tmp_path, "2025")
    async with desk.open("ask") as agent:
        _, result = await desk.answer(await agent.execute(COMMAND))

    assert '"account": "A1"' in result_of(result).text
    keys = {each["_meta"]["idempotencyKey"] for each in desk.asked("tools/call")}
    assert len(keys) == 1
