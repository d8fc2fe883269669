"""Cancellations that come twice, late, from inside, or by a time-out of the caller."""

import asyncio

import pytest

from arc_core import AgentCommand, AgentErrorCode, ToolCall, tool
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from arc_core.timing.cancellation import (
    cancel_soon,
    finish_despite_cancellation,
    wait_despite_cancellation,
)
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint
from tests.arc_core.engine.suspending import SuspendingAgent, Suspension

COMMAND = AgentCommand(user_prompt="What is left and right?")
CANCELLED = [AgentErrorCode.CANCELLED]


def codes(agent: SuspendingAgent) -> list[AgentErrorCode | None]:
    """What `after_agent_complete` was told."""
    return [response.error_code for response in agent.responses]


async def rounds(number: int) -> None:
    """Let all tasks go on for some rounds of the event loop."""
    for _ in range(number):
        await asyncio.sleep(0)


@EVERY_ENTRY_POINT
async def test_the_end_of_a_run_outlives_a_second_cancellation(entry_point: EntryPoint) -> None:
    """Cancelled again while its hooks are told, a run tells them to the end, once, and leaves."""
    agent = SuspendingAgent(Suspension("after_agent_complete"))
    task = asyncio.create_task(entry_point(agent.executor, COMMAND))
    await agent.suspension.held.wait()

    for _ in range(3):
        task.cancel()
        await rounds(3)
    assert not task.done()
    agent.suspension.released.set()
    await asyncio.wait({task})

    assert task.cancelled()
    assert codes(agent) == [None]
    assert agent.finished.is_set()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@EVERY_ENTRY_POINT
async def test_a_cancelled_run_outlives_a_second_cancellation(entry_point: EntryPoint) -> None:
    """A caller that is cancelled twice leaves once, after the end of its run."""
    agent = SuspendingAgent(Suspension("tool"))
    task = asyncio.create_task(entry_point(agent.executor, COMMAND))
    await agent.suspension.held.wait()

    while not task.done():
        task.cancel()
        await rounds(1)

    assert task.cancelled()
    assert codes(agent) == CANCELLED
    assert agent.finished.is_set()


@EVERY_ENTRY_POINT
async def test_a_cancellation_while_history_is_saved_comes_after_it(
    entry_point: EntryPoint,
) -> None:
    """A run that has its answer keeps it, tells its hooks of a success, and then leaves."""
    agent = SuspendingAgent(Suspension("save_history"))
    task = asyncio.create_task(entry_point(agent.executor, COMMAND))
    await agent.suspension.held.wait()

    task.cancel()
    await rounds(3)
    agent.suspension.released.set()
    await asyncio.wait({task})

    assert task.cancelled()
    assert len(agent.history.messages) == 2
    assert codes(agent) == [None]


@EVERY_ENTRY_POINT
@pytest.mark.parametrize("place", ["guard", "model", "tool"])
async def test_a_timeout_of_the_caller_cancels_the_run(entry_point: EntryPoint, place: str) -> None:
    """The caller gets its own TimeoutError; to the run it is a cancellation and no deadline."""
    agent = SuspendingAgent(Suspension(place))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await entry_point(agent.executor, COMMAND)

    assert codes(agent) == CANCELLED
    assert await agent.works_again()


@EVERY_ENTRY_POINT
async def test_a_run_cancelled_while_it_waits_for_a_permit_leaves(entry_point: EntryPoint) -> None:
    """A run that never was admitted ends in order, and takes no permit."""
    agent = SuspendingAgent(Suspension("guard"))
    first = asyncio.create_task(agent.executor.execute(COMMAND))
    await agent.suspension.held.wait()
    second = asyncio.create_task(entry_point(agent.executor, COMMAND))
    await rounds(5)

    second.cancel()
    await asyncio.wait({second})
    agent.suspension.released.set()

    assert second.cancelled()
    assert (await first).success
    assert codes(agent) == [AgentErrorCode.CANCELLED, None]
    assert await agent.works_again()


@EVERY_ENTRY_POINT
@pytest.mark.parametrize("calls", [1, 2])
async def test_a_cancellation_out_of_a_tool_leaves(entry_point: EntryPoint, calls: int) -> None:
    """A tool that is cancelled from outside leaves no call without a result: the run ends."""

    @tool
    async def fetch() -> str:
        raise asyncio.CancelledError

    @tool
    async def ready() -> str:
        return "ready"

    hook = RecordingHook()
    model = ScriptedChatModel(
        [[ToolCall("1", "fetch", "{}"), ToolCall("2", "ready", "{}")][:calls]]
    )
    agent = scripted_agent(model, tools=(fetch, ready), hooks=(hook,))

    with pytest.raises(asyncio.CancelledError):
        await entry_point(agent, COMMAND)

    assert hook.response.error_code is AgentErrorCode.CANCELLED
    model.assert_complete()


async def test_a_task_takes_its_first_step_before_it_is_cancelled() -> None:
    """What a task does about its own cancellation is done, however early that comes."""
    steps: list[str] = []

    async def work() -> None:
        try:
            steps.append("began")
            await asyncio.Event().wait()
        finally:
            steps.append("ended")

    task = asyncio.create_task(work())
    cancel_soon(task)
    await asyncio.wait({task})

    assert task.cancelled()
    assert steps == ["began", "ended"]


async def test_what_must_be_finished_raises_what_it_raises() -> None:
    """Without a cancellation in between, an exception of the coroutine comes out."""

    async def failing() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await finish_despite_cancellation(failing())


async def test_waiting_for_a_task_that_has_ended_takes_no_time() -> None:
    """Nothing is awaited for what is over."""
    task = asyncio.create_task(rounds(0))
    await task

    await wait_despite_cancellation(task)

    assert task.done()
