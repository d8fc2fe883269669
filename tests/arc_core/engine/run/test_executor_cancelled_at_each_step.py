"""A run is cancelled at each of its suspension points, through every entry point."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from structlog.contextvars import get_contextvars

from arc_core import AgentCommand, AgentErrorCode
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint
from tests.arc_core.engine.suspending import SuspendingAgent

COMMAND = AgentCommand(user_prompt="What is left and right?", user_id="ann", session_id="s-1")
FEWEST_STEPS = 40


@dataclass(frozen=True)
class Traces:
    """What is left of a run that was cancelled after a number of steps.

    Attributes:
        cancelled: Whether the cancellation left, instead of a result.
        codes: What `after_agent_complete` was told.
        asked_again: Model calls that repeat an earlier one.
        open_streams: Streams of the model that were not closed.
        context: The logging context of the caller afterwards.
        leaked: Tasks that are still there.
        works_again: Whether the permit is back and another run succeeds.
    """

    cancelled: bool
    codes: tuple[AgentErrorCode | None, ...]
    asked_again: int
    open_streams: int
    context: Mapping[str, object]
    leaked: frozenset[str]
    works_again: bool


async def cancelled_after(step: int, entry_point: EntryPoint, *, is_guarded: bool) -> Traces:
    """Run, cancel after this many rounds of the event loop, and look what is left."""
    agent = SuspendingAgent(is_guarded=is_guarded)
    context: dict[str, object] = {}

    async def caller() -> None:
        try:
            await entry_point(agent.executor, COMMAND)
        finally:
            context.update(get_contextvars())

    task = asyncio.create_task(caller())
    for _ in range(step):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    return Traces(
        cancelled=task.cancelled(),
        codes=tuple(response.error_code for response in agent.responses),
        asked_again=agent.asked_again,
        open_streams=agent.open_streams,
        context=context,
        leaked=frozenset(str(each) for each in asyncio.all_tasks() - {asyncio.current_task()}),
        works_again=await agent.works_again(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_guarded", [False, True], ids=["", "guarded"])
@EVERY_ENTRY_POINT
async def test_a_run_can_be_cancelled_at_each_step(
    entry_point: EntryPoint, *, is_guarded: bool
) -> None:
    """The cancellation leaves, the end is told once, and nothing is retried, open or leaked."""
    step, traces = 1, await cancelled_after(1, entry_point, is_guarded=is_guarded)
    while traces.cancelled:
        assert traces.codes in {(AgentErrorCode.CANCELLED,), (None,)}, step
        assert (traces.asked_again, traces.open_streams) == (0, 0), step
        assert (traces.context, traces.leaked, traces.works_again) == ({}, frozenset(), True), step
        step += 1
        traces = await cancelled_after(step, entry_point, is_guarded=is_guarded)

    assert step > FEWEST_STEPS
    assert traces.codes == (None,)
