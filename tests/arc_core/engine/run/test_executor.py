"""The engine's entry points: commands, the ends of runs, closing, runs within runs."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentExecutor,
    FaultSource,
    FinishReason,
    RunFinished,
    ToolCall,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.entry_points import (
    EVERY_ENTRY_POINT,
    EntryPoint,
    events_of,
    executed,
    list_texts,
)
from tests.arc_core.engine.suspending import SuspendingAgent, Suspension

COMMAND = AgentCommand(user_prompt="What is left and right?")
SHORT_END = {"finalize_timeout_s": 0.01}


def codes(agent: SuspendingAgent) -> list[AgentErrorCode | None]:
    """What `after_agent_complete` was told."""
    return [response.error_code for response in agent.responses]


def test_it_is_an_agent_executor() -> None:
    """The engine fills the slot."""
    assert isinstance(scripted_agent(ScriptedChatModel([])), AgentExecutor)
    assert issubclass(ReActAgentExecutor, AgentExecutor)


@pytest.mark.parametrize("command", ["Hello", None, {"user_prompt": "Hello"}])
async def test_what_is_not_a_command_is_refused_at_once(command: Any) -> None:
    """A wrong argument is the caller's mistake: a TypeError that says what to write."""
    agent = scripted_agent(ScriptedChatModel([]))

    with pytest.raises(TypeError, match="AgentCommand is needed, not"):
        await agent.execute(command)
    with pytest.raises(TypeError, match=r"write AgentCommand\(user_prompt=…\)"):
        agent.execute_stream(command)
    with pytest.raises(TypeError, match=type(command).__name__):
        agent.stream_events(command)


@EVERY_ENTRY_POINT
async def test_a_hanging_last_hook_is_given_up_at_its_timeout(entry_point: EntryPoint) -> None:
    """`finalize_timeout_s` bounds the hooks after a run, and the answer stays good."""
    agent = SuspendingAgent(Suspension("after_agent_complete"), concurrency=SHORT_END)

    await entry_point(agent.executor, COMMAND)

    assert codes(agent) == [None]
    assert agent.metrics.faults == [FaultSource.HOOK]
    assert [record.error_code for record in agent.metrics.runs] == [None]


@EVERY_ENTRY_POINT
async def test_a_hanging_save_is_given_up_at_its_timeout(entry_point: EntryPoint) -> None:
    """A save that never ends costs the history, neither the answer nor the hooks."""
    agent = SuspendingAgent(Suspension("save_history"), concurrency=SHORT_END)

    await entry_point(agent.executor, COMMAND)

    assert codes(agent) == [None]
    assert agent.history.messages == []
    assert agent.metrics.faults == [FaultSource.HISTORY_SAVE]


@EVERY_ENTRY_POINT
async def test_a_timeout_ends_a_hanging_last_hook_after_a_cancellation(
    entry_point: EntryPoint,
) -> None:
    """A cancelled run leaves within the time-out, whatever its hooks do."""
    agent = SuspendingAgent(Suspension("model", "after_agent_complete"), concurrency=SHORT_END)
    task = asyncio.create_task(entry_point(agent.executor, COMMAND))
    await agent.suspension.held.wait()

    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert codes(agent) == [AgentErrorCode.CANCELLED]
    assert [record.error_code for record in agent.metrics.runs] == [AgentErrorCode.CANCELLED]


async def test_closing_cancels_the_runs_under_way() -> None:
    """`aclose` returns when every run has ended in order, those that just began too."""
    agent = SuspendingAgent(Suspension("model"), concurrency={"max_concurrent_requests": 3})
    callers = [
        asyncio.create_task(entry_point(agent.executor, COMMAND))
        for entry_point in (executed, list_texts, events_of)
    ]
    await agent.suspension.held.wait()
    callers.append(asyncio.create_task(executed(agent.executor, COMMAND)))
    await asyncio.sleep(0)

    await agent.executor.aclose()

    assert codes(agent) == [AgentErrorCode.CANCELLED] * 4
    await asyncio.wait(callers)
    assert all(caller.cancelled() for caller in callers)
    assert agent.open_streams == 0


@EVERY_ENTRY_POINT
@pytest.mark.parametrize("cancelled_before", [True, False], ids=["cancelled", "answered"])
async def test_closing_waits_for_the_ends_of_runs(
    entry_point: EntryPoint, *, cancelled_before: bool
) -> None:
    """A run that is telling its hooks of its end tells them to the last."""
    first = "tool" if cancelled_before else "nowhere"
    agent = SuspendingAgent(Suspension(first, "after_agent_complete"))
    caller = asyncio.create_task(entry_point(agent.executor, COMMAND))
    if cancelled_before:
        await agent.suspension.held.wait()
        caller.cancel()
    await agent.ending.wait()

    closing = asyncio.create_task(agent.executor.aclose())
    for _ in range(5):
        await asyncio.sleep(0)
    agent.suspension.released.set()
    await closing
    await asyncio.wait({caller})

    assert agent.finished.is_set()
    assert codes(agent) == [AgentErrorCode.CANCELLED if cancelled_before else None]


async def test_closing_is_over_at_once_without_runs() -> None:
    """There is nothing to wait for, however often."""
    agent = SuspendingAgent()

    await agent.executor.aclose()
    await agent.executor.aclose()

    assert agent.responses == []


async def test_starting_again_gives_new_permits() -> None:
    """An engine goes on after it was closed, as an application does that is entered twice."""
    agent = SuspendingAgent()
    await agent.executor.aclose()

    await agent.executor.start()

    assert await agent.works_again()


def test_an_engine_serves_one_event_loop_after_the_other() -> None:
    """Permits that were waited for in one loop do not bind the next."""
    agent = SuspendingAgent(concurrency={"acquire_timeout_s": 5})

    async def two_runs() -> list[bool]:
        await agent.executor.start()
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(agent.executor.execute(COMMAND)) for _ in range(2)]
        return [run.result().success for run in runs]

    for _ in range(2):
        with asyncio.Runner() as runner:
            assert runner.run(two_runs()) == [True, True]


async def test_a_run_within_a_tool_of_another_run() -> None:
    """A tool may ask an agent: each run has its own result, hooks, usage and id."""
    inner_hook, outer_hook = RecordingHook(), RecordingHook()
    inner = scripted_agent(ScriptedChatModel(["It is 4."]), hooks=(inner_hook,))

    @tool
    async def ask_expert(question: str) -> str:
        return (await inner.execute(AgentCommand(user_prompt=question))).content or ""

    call = ToolCall("1", "ask_expert", '{"question": "2 + 2?"}')
    model = ScriptedChatModel([[call], "The expert says 4."])
    outer = scripted_agent(model, tools=(ask_expert,), hooks=(outer_hook,))

    result = await outer.execute(COMMAND)

    assert (result.content, result.tools_used) == ("The expert says 4.", ("ask_expert",))
    assert (outer_hook.response.tools_used, inner_hook.response.tools_used) == (("ask_expert",), ())
    assert inner_hook.response.content == "It is 4."
    assert "It is 4." in str(model.requests[1].messages)


async def test_run_ids_are_unique() -> None:
    """Two runs of one command are two runs."""
    agent = scripted_agent(ScriptedChatModel(["One.", "Two."]))

    first, second = await agent.execute(COMMAND), await agent.execute(COMMAND)

    assert first.run_id != second.run_id


async def test_the_result_of_a_stream_is_the_result_of_the_run() -> None:
    """The last event carries what `execute` would have returned."""
    events = await events_of(scripted_agent(ScriptedChatModel(["Left and right."])), COMMAND)

    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.result.success, finished.result.content) == (True, "Left and right.")
    assert finished.result.finish_reason is FinishReason.STOP
