"""Tool calls that fail, hang, block, or do not fit: none of them ends the run by itself."""

import asyncio
import subprocess
import sys
import threading
from collections import Counter

import pytest

from arc_core import ToolArgumentsError, ToolOutcome, ToolRetry, tool
from arc_core.tools.threads import MAX_THREADS, MAX_THREADS_OF_ONE
from tests.arc_core.engine.suspending import Suspension
from tests.arc_core.engine.tool_calling import SHORT, TINY_S, World, call, echo, hanging, said


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("password=hunter2"),
        RuntimeError(),
        OSError(None),
        TimeoutError("mine"),
        SystemExit(2),
    ],
    ids=repr,
)
async def test_a_tool_that_raises_fails_alone(error: BaseException) -> None:
    """The model reads that it failed and nothing of why, not even the exception's name."""

    @tool
    async def broken() -> str:
        raise error

    world = World([call("broken"), said("hello", number=2)], broken, echo)

    result = await world.run()

    assert [each.content for each in world.results] == ["Error: Tool 'broken' failed", "hello"]
    assert world.results[0].outcome is ToolOutcome.FAILED
    assert (result.content, result.tools_used) == ("Done.", ("broken", "echo"))


async def test_a_timeout_ends_the_tool_that_hangs_alone() -> None:
    """After the common time-out; its siblings are unaffected and the run goes on."""
    world = World([call("hanging"), said("hello", number=2)], hanging, echo, **SHORT)

    result = await world.run()

    assert [each.content for each in world.results] == [
        "Error: Tool 'hanging' timed out after 0.01 seconds",
        "hello",
    ]
    assert world.results[0].outcome is ToolOutcome.TIMED_OUT
    assert result.success


async def test_the_timeout_of_the_tool_itself_comes_first() -> None:
    """`timeout_s` of a tool replaces the setting."""

    @tool(timeout_s=TINY_S)
    async def impatient() -> str:
        await asyncio.Event().wait()
        return "never"

    world = World([call("impatient")], impatient)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.TIMED_OUT


@pytest.mark.parametrize("replacement", [None, ValueError("interrupted")], ids=repr)
async def test_a_timeout_that_a_tool_answers_is_a_timeout(replacement: Exception | None) -> None:
    """A tool that swallows or replaces its cancellation has timed out all the same."""
    suspension = Suspension("tool", refuses=True, replacement=replacement)

    @tool
    async def stubborn() -> str:
        await suspension.at("tool")
        return "late"

    world = World([call("stubborn")], stubborn, **SHORT)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.TIMED_OUT


async def test_a_blocking_tool_blocks_no_other_task() -> None:
    """A synchronous tool runs beside the loop; past its time-out the run goes on without it."""
    released = threading.Event()

    @tool
    def blocking() -> str:
        released.wait()
        return "too late"

    world = World([call("blocking"), said("hello", number=2)], blocking, echo, **SHORT)

    result = await world.run()
    released.set()

    assert [each.outcome for each in world.results] == [ToolOutcome.TIMED_OUT, ToolOutcome.SUCCESS]
    assert result.success


INVALID = {
    "no JSON": ("{text: hello}", "arguments: Invalid JSON"),
    "no object": ('["hello"]', "arguments: Input should be"),
    "a wrong type": ('{"text": 1}', "text: Input should be a valid string"),
    "a missing field": ("{}", "text: Field required"),
    "nothing at all": ("", "text: Field required"),
    "an unknown field": ('{"text": "a", "loud": true}', "loud: Extra inputs are not permitted"),
    "two problems": ('{"text": 1, "loud": true}', "; "),
}


@pytest.mark.parametrize(("arguments", "problem"), INVALID.values(), ids=INVALID)
async def test_invalid_arguments_are_told_to_the_model(arguments: str, problem: str) -> None:
    """Field by field, in a result the model can act on; the tool does not run."""
    world = World([call("echo", arguments)], echo)

    result = await world.run()

    assert world.results[0].outcome is ToolOutcome.INVALID_ARGUMENTS
    assert world.results[0].text.startswith("Error: Invalid arguments for tool 'echo': ")
    assert problem in world.results[0].text
    assert result.tools_used == ("echo",)


async def test_a_tool_may_refuse_its_arguments_itself() -> None:
    """What a schema cannot say, a tool tells the model by raising ToolArgumentsError."""

    @tool
    async def book(day: str) -> str:
        raise ToolArgumentsError([f"day: {day} is in the past"])

    world = World([call("book", '{"day": "yesterday"}')], book)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.INVALID_ARGUMENTS
    assert "day: yesterday is in the past" in world.results[0].text


RETRIES = {
    "a text": (ToolRetry("No customer 'an'."), "Error: No customer 'an'."),
    "a prefix of its own": (ToolRetry("Error: No 'an'."), "Error: No 'an'."),
    "a secret": (ToolRetry("refused: password=hunter2"), "Error: refused: password=***"),
    "nothing": (ToolRetry(), "Error: Tool 'broken' failed"),
    "a blank": (ToolRetry("  \n"), "Error: Tool 'broken' failed"),
    "None": (ToolRetry(None), "Error: Tool 'broken' failed"),  # type: ignore[arg-type]
    "an exception": (ToolRetry(OSError("hunter2")), "Error: Tool 'broken' failed"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("error", "text"), RETRIES.values(), ids=RETRIES)
@pytest.mark.parametrize("threaded", [False, True])
async def test_a_tool_retry_tells_the_model_its_text(
    *, error: ToolRetry, text: str, threaded: bool
) -> None:
    """Once "Error:", secrets masked; what says nothing is a failure as any other."""

    def broken() -> str:
        raise error

    async def broken_too() -> str:
        raise error

    world = World([call("broken")], tool(name="broken")(broken if threaded else broken_too))

    await world.run()

    assert world.results[0].content == text
    assert world.results[0].outcome is ToolOutcome.FAILED


async def test_the_text_of_a_long_tool_retry_is_cut() -> None:
    """At 4000 characters, so that a tool cannot fill the window by failing."""

    @tool
    async def broken() -> str:
        raise ToolRetry("x" * 1_000_000)

    world = World([call("broken")], broken)

    await world.run()

    assert world.results[0].content == "Error: " + "x" * 3992 + "…"


async def test_the_text_of_a_tool_retry_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """It is written for the model, and may hold what the person said."""
    caplog.set_level("INFO")

    @tool
    async def broken() -> str:
        raise ToolRetry("the customer Kim is unknown")

    await World([call("broken")], broken).run()

    assert "Kim" not in caplog.text
    assert "tool asks the model" in caplog.text


BLOCKED_FOR_EVER = """
import asyncio, threading
from arc_core import AgentCommand, ToolCall, tool
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent

@tool(timeout_s=0.01)
def blocking() -> str:
    threading.Event().wait()

model = ScriptedChatModel([[ToolCall("1", "blocking", "{}")], "Done."])
agent = scripted_agent(model, tools=(blocking,))
with asyncio.Runner() as runner:
    print(runner.run(agent.execute(AgentCommand(user_prompt="Do it."))).content)
"""


def test_a_blocking_tool_does_not_keep_the_process() -> None:
    """A program ends though a tool of its never does."""
    program = [sys.executable, "-c", BLOCKED_FOR_EVER]

    ended = subprocess.run(program, capture_output=True, text=True, timeout=30, check=True)

    assert ended.stdout == "Done.\n"


async def test_a_tool_that_hangs_leaves_threads_to_others() -> None:
    """Past half of all threads the model reads that it is busy, and other tools are called."""
    released = threading.Event()

    @tool
    def blocking() -> str:
        released.wait()
        return "late"

    @tool
    def quick() -> str:
        return "seen"

    calls = [call("blocking", number=number) for number in range(MAX_THREADS)]
    settings = {"max_tool_calls": len(calls) + 1, **SHORT}
    world = World([*calls, call("quick", number=len(calls))], blocking, quick, **settings)

    await world.run()
    released.set()

    *hanging, last = world.results
    outcomes = Counter(each.outcome for each in hanging)
    refused = MAX_THREADS - MAX_THREADS_OF_ONE
    assert outcomes == {ToolOutcome.TIMED_OUT: MAX_THREADS_OF_ONE, ToolOutcome.FAILED: refused}
    assert "the tool is busy" in hanging[-1].content
    assert (last.outcome, last.content) == (ToolOutcome.SUCCESS, "seen")


@pytest.mark.parametrize("is_handled", [False, True])
async def test_a_task_group_that_fails_in_a_tool_cancels_no_run(*, is_handled: bool) -> None:
    """Python marks the task of the tool as cancelled then, though it was not."""

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError

    @tool
    async def ask_all() -> str:
        """Do several things at once."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
        except BaseExceptionGroup:
            if not is_handled:
                raise
        return "handled"

    world = World([call("ask_all")], ask_all)
    result = await world.run()

    assert result.content == "Done."
    assert (world.results[0].text == "handled") is is_handled
