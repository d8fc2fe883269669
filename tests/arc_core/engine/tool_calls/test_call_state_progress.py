"""What tools say of how far they are."""

import asyncio
import copy
import pickle
from typing import Any

import pytest

from arc_core import (
    AgentEvent,
    FunctionTool,
    RunFinished,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    ToolContext,
    ToolOutcome,
    tool,
)
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.tool_calls.call_state import ToolProgress
from tests.arc_core.engine.tool_calling import COMMAND, SHORT, World, call, make_look


def reporting(*reports: Any) -> FunctionTool[..., Any]:
    """A tool that reports these, as arguments of `progress`, and then is done."""

    @tool
    async def work(context: ToolContext) -> str:
        """Works."""
        for each in reports:
            await context.progress(*each)
        return "done"

    return work


async def events_of(world: World) -> list[AgentEvent]:
    """All events of the run."""
    return [event async for event in world.agent.stream_events(COMMAND)]


async def reports_of(*reports: Any) -> list[ToolCallProgress]:
    """What comes out of these reports."""
    events = await events_of(World([call("work")], reporting(*reports)))
    return [event for event in events if isinstance(event, ToolCallProgress)]


async def test_reports_are_events_between_start_and_end_of_their_call() -> None:
    """With the id of the call."""
    world = World([call("work")], reporting(["1 of 2", 0.5], ["2 of 2", 1.0]))

    events = await events_of(world)

    (begin,) = [i for i, event in enumerate(events) if isinstance(event, ToolCallStarted)]
    assert events[begin + 1 : begin + 3] == [
        ToolCallProgress("call-1", "1 of 2", 0.5),
        ToolCallProgress("call-1", "2 of 2", 1.0),
    ]
    assert isinstance(events[begin + 3], ToolCallFinished)


async def test_the_model_does_not_read_them() -> None:
    """They are for people."""
    world = World([call("work")], reporting(["half", 0.5]))

    await events_of(world)

    assert [result.content for result in world.results] == ["done"]


async def test_execute_does_without_them() -> None:
    """Nothing reads events there."""
    world = World([call("work")], reporting(["half", 0.5], [5]))

    result = await world.run()

    assert result.unwrap() == "Done."
    assert [each.content for each in world.results] == ["done"]


@pytest.mark.parametrize(
    ("given", "kept"), [(None, None), (-1, 0), (0, 0), (0.3, 0.3), (7, 1), (float("nan"), None)]
)
async def test_a_fraction_is_from_0_to_1(given: Any, kept: Any) -> None:
    """What is not a number says nothing."""
    (report,) = await reports_of(["on it", given])

    assert report.fraction == kept


async def test_secrets_are_masked_and_long_messages_cut() -> None:
    """A secret across the place of the cut is masked whole."""
    long = "x" * 485 + " password=hunter2hunter2hunter2"

    first, second = await reports_of(["token=abcdefgh"], [long])

    assert first.message == "token=***"
    assert len(second.message) <= 500
    assert "hunter" not in second.message


@pytest.mark.parametrize("report", [[5], ["half", "0.5"], ["half", True]])
async def test_a_report_of_wrong_types_is_an_error_of_the_tool(report: Any) -> None:
    """Its author learns of it, not the reader."""
    world = World([call("work")], reporting(report))

    await events_of(world)

    assert [result.outcome for result in world.results] == [ToolOutcome.FAILED]


async def test_a_slow_reader_misses_reports_and_nothing_else() -> None:
    """The tool waits for no reader, and so its time-out holds for its work alone."""
    done = asyncio.Event()

    @tool
    async def work(context: ToolContext) -> str:
        """Works."""
        for number in range(1000):
            await context.progress(f"{number}")
        done.set()
        return "done"

    world = World([call("work")], work)
    events = world.agent.stream_events(COMMAND)
    read = [await anext(events)]
    await done.wait()
    read += [event async for event in events]

    reports = [event for event in read if isinstance(event, ToolCallProgress)]
    assert 0 < len(reports) < 100
    assert isinstance(read[-1], RunFinished)
    assert [result.content for result in world.results] == ["done"]


async def test_a_reader_who_keeps_up_misses_none() -> None:
    """However many there are."""
    reports = await reports_of(*([f"{number}"] for number in range(1000)))

    assert [report.message for report in reports] == [f"{number}" for number in range(1000)]


async def test_what_comes_after_the_end_of_the_call_is_dropped() -> None:
    """A tool may keep its context longer than it should."""
    kept: list[ToolContext] = []
    world = World([call("look")], make_look(kept))
    events: list[AgentEvent] = []
    async for event in world.agent.stream_events(COMMAND):
        events.append(event)
        if isinstance(event, ToolCallFinished):
            await kept[0].progress("too late")

    assert not [event for event in events if isinstance(event, ToolCallProgress)]


async def test_a_tool_that_times_out_has_reported_until_then() -> None:
    """So that people see how far it came."""

    @tool
    async def work(context: ToolContext) -> str:
        """Works."""
        await context.progress("begun")
        await asyncio.Event().wait()
        return "never"

    events = await events_of(World([call("work")], work, **SHORT))

    assert ToolCallProgress("call-1", "begun") in events


async def test_a_context_made_by_hand_takes_reports() -> None:
    """Nothing becomes of them in a test of a tool."""
    context = ToolContext(run_id="1", call_id="1", user_id="ann")

    assert await reporting(["half", 0.5]).call({}, context) == "done"


async def test_a_copy_of_a_context_reports_nothing() -> None:
    """It may outlive the run."""
    channel = EventChannel()
    context = ToolContext(
        run_id="1", call_id="1", user_id="ann", reporter=ToolProgress(channel.offer, "1")
    )

    for each in (copy.deepcopy(context), pickle.loads(pickle.dumps(context))):
        await each.progress("half")

    assert channel.poll() is None
