"""Texts that tools remember with their calls, for the attempts that come later."""

import asyncio
from collections.abc import Sequence
from typing import Any

from arc_core import Answer, ToolCall, ToolContext, tool
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.suspending import let_go
from tests.arc_core.engine.tool_calls.test_questions import (
    COMMAND,
    SCHEMA,
    begin,
    decide,
    decide_first,
    results_of,
)


async def wait_until_handed_over(context: ToolContext) -> None:
    """Wait for a cancellation that is not the end of the call."""
    try:
        await asyncio.Event().wait()
    finally:
        assert context.is_handed_over


async def start(tool: Any) -> DictRunJournals:
    """The journals of an agent that calls the tool."""
    model = ScriptedChatModel([[ToolCall("c1", tool.name, "{}")], "Done."])
    journals = DictRunJournals()
    await scripted_agent(model, tools=(tool,), run_journals=journals).start()
    return journals


async def leave(journals: DictRunJournals, *, after: asyncio.Event) -> None:
    """Begin a run, and close its process after something has happened in it."""
    await let_go(journals, journals.open(COMMAND, run_id="r-1"), after.wait())


class Jobs:
    """A tool that begins a job, asks before and after it, and what it has done."""

    def __init__(self) -> None:
        self.begun, self.answers = 0, list[str]()
        self.wait = tool(name="wait")(self._wait)

    async def _wait(self, context: ToolContext) -> str:
        """Wait for a job."""
        if not await context.recall():
            await context.ask("Which account?", SCHEMA)
            self.begun += 1
            await context.remember("job-7")
        answer = await context.ask("Which one now?", SCHEMA)
        self.answers.append(answer["account"])
        return f"{(await context.recall())[0]} has ended"


async def test_a_text_that_a_call_remembers_is_there_in_its_later_attempts() -> None:
    """The job is begun once; what was asked before it is not asked again."""
    jobs = Jobs()
    journals, result = await begin([ToolCall("c1", "wait", "{}")], "Done.", tools=(jobs.wait,))

    waits_for = await decide_first(journals, result, Answer({"account": "A1"}))
    ended = await decide(journals, result, Answer({"account": "A2"}), key="ask/0/2")

    assert waits_for == ["ask/0/2"]
    assert results_of(ended)["wait"][1] == "job-7 has ended"
    assert (jobs.begun, jobs.answers) == (1, ["A2"])


async def test_a_text_is_recorded_before_the_call_goes_on() -> None:
    """A process that leaves while the tool waits leaves it to the next one."""
    seen, is_waiting = list[tuple[Sequence[str], bool]](), asyncio.Event()

    @tool
    async def work(context: ToolContext) -> str:
        """Work."""
        seen.append((await context.recall(), context.is_handed_over))
        if seen == [((), False)]:
            await context.remember("job-7")
            is_waiting.set()
            await wait_until_handed_over(context)
        return "done"

    journals = await start(work)
    await leave(journals, after=is_waiting)

    ended = await journals.take_up("r-1")

    assert (seen, ended.content) == ([((), False), (("job-7",), False)], "Done.")
