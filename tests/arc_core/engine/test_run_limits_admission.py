"""Permits, the wait for one, and the deadline of a run."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from arc_core import AgentCommand, AgentErrorCode
from arc_core.engine.run_limits import Admission
from arc_core.engine.run_state import RunStoppedError
from arc_core.settings import ConcurrencySettings
from tests.arc_core.engine.entry_points import executed, list_texts
from tests.arc_core.engine.suspending import SuspendingAgent, Suspension

COMMAND = AgentCommand(user_prompt="What is left and right?")
TINY_S = 0.01


def admission(permits: int = 1, *, acquire_s: float = 30, deadline_s: float = 30) -> Admission:
    """So many permits, and these time-outs."""
    return Admission(
        ConcurrencySettings(
            max_concurrent_requests=permits,
            acquire_timeout_s=acquire_s,
            request_timeout_s=deadline_s,
        )
    )


async def forever(_: object = None) -> None:
    """Work that never ends."""
    await asyncio.Event().wait()


def raising(error: BaseException) -> Callable[[object], Awaitable[None]]:
    """Work that fails."""

    async def work(_: object) -> None:
        raise error

    return work


async def answered(_: object) -> str:
    """Work that is done at once."""
    return "answer"


async def ends_of(*tasks: asyncio.Task[Any]) -> list[type[BaseException] | None]:
    """What tasks have raised, once all have ended."""
    await asyncio.wait(tasks)
    return [
        asyncio.CancelledError if task.cancelled() else _find_type(task.exception())
        for task in tasks
    ]


def _find_type(error: BaseException | None) -> type[BaseException] | None:
    return None if error is None else type(error)


async def test_n_permits_let_n_runs_in() -> None:
    """One run more than permits waits until the first of them ends."""
    admitting, inside, release = admission(3), [0], asyncio.Event()

    async def work(_: object) -> int:
        inside[0] += 1
        most = inside[0]
        await release.wait()
        inside[0] -= 1
        return most

    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(admitting.run(work)) for _ in range(4)]
        await asyncio.sleep(0)
        waiting = inside[0]
        release.set()

    assert waiting == 3
    assert max(run.result() for run in runs) == 3


async def test_a_timeout_while_waiting_for_a_permit_is_an_overload() -> None:
    """Past `acquire_timeout_s` the run stops with OVERLOADED, and takes no permit."""
    admitting = admission(acquire_s=TINY_S)
    occupant = asyncio.create_task(admitting.run(forever))
    await asyncio.sleep(0)

    with pytest.raises(RunStoppedError) as stopped:
        await admitting.run(answered)
    occupant.cancel()
    await asyncio.wait({occupant})

    assert stopped.value.code is AgentErrorCode.OVERLOADED
    assert await admitting.run(answered) == "answer"


async def test_past_the_deadline_a_run_is_stopped() -> None:
    """TIMEOUT, with what the work made of it as the cause."""
    with pytest.raises(RunStoppedError) as stopped:
        await admission(deadline_s=TINY_S).run(forever)

    assert stopped.value.code is AgentErrorCode.TIMEOUT
    assert isinstance(stopped.value.__cause__, TimeoutError)


async def test_whatever_the_deadline_becomes_it_is_the_deadline() -> None:
    """Work that answers the deadline with an exception of its own has timed out all the same."""

    async def work(_: object) -> None:
        try:
            await forever()
        finally:
            raise ValueError("interrupted")

    with pytest.raises(RunStoppedError) as stopped:
        await admission(deadline_s=TINY_S).run(work)

    assert stopped.value.code is AgentErrorCode.TIMEOUT


async def test_a_timeout_of_the_work_is_its_own() -> None:
    """A TimeoutError before the deadline comes out as it is."""
    mine = TimeoutError("mine")

    with pytest.raises(TimeoutError) as raised:
        await admission().run(raising(mine))

    assert raised.value is mine


async def test_a_deadline_of_zero_is_off() -> None:
    """0 means no deadline, not one that has passed."""

    async def suspending(_: object) -> str:
        for _ in range(3):
            await asyncio.sleep(0)
        return "answer"

    assert await admission(deadline_s=0).run(suspending) == "answer"


async def test_work_may_bring_its_deadline_forward() -> None:
    """A run that goes on has the time left that it had in an earlier process."""

    async def work(deadline: asyncio.Timeout) -> None:
        deadline.reschedule(0)
        await forever()

    with pytest.raises(RunStoppedError) as stopped:
        await admission().run(work)

    assert stopped.value.code is AgentErrorCode.TIMEOUT


async def test_waiting_for_a_permit_is_not_part_of_the_deadline() -> None:
    """A run that waited long has its whole time still before it."""
    admitting = admission(deadline_s=TINY_S)
    occupant = asyncio.create_task(admitting.run(forever))

    result = await admitting.run(answered)

    assert result == "answer"
    assert isinstance((await asyncio.wait({occupant}))[0].pop().exception(), RunStoppedError)


@pytest.mark.parametrize(
    ("work", "end"),
    [
        (answered, None),
        (raising(ValueError()), ValueError),
        (raising(asyncio.CancelledError()), asyncio.CancelledError),
        (forever, RunStoppedError),
    ],
    ids=["success", "failure", "cancellation", "deadline"],
)
async def test_the_permit_comes_back(
    work: Callable[[object], Awaitable[object]], end: type[BaseException] | None
) -> None:
    """However work ends, the next one is let in."""
    admitting = admission(acquire_s=TINY_S, deadline_s=TINY_S)

    assert await ends_of(asyncio.create_task(admitting.run(work))) == [end]
    assert await admitting.run(answered) == "answer"


async def test_a_waiting_run_that_is_cancelled_leaves_the_others_in_line() -> None:
    """The permit of the first goes to the third, when the second has given up."""
    admitting, release = admission(), asyncio.Event()

    async def work(_: object) -> str:
        await release.wait()
        return "answer"

    first, second, third = (asyncio.create_task(admitting.run(work)) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    release.set()

    assert [await first, await third] == ["answer", "answer"]
    assert second.cancelled()


async def test_both_entry_points_share_the_permits() -> None:
    """A streamed run keeps an executed one out, and the other way round."""
    for one, other in ((executed, list_texts), (list_texts, executed)):
        agent = SuspendingAgent(Suspension("tool"))
        occupant = asyncio.create_task(one(agent.executor, COMMAND))
        await agent.suspension.held.wait()

        await other(agent.executor, COMMAND)
        agent.suspension.released.set()
        await occupant

        codes = [response.error_code for response in agent.responses]
        assert codes == [AgentErrorCode.OVERLOADED, None]


async def test_permits_are_all_back_after_a_failed_and_a_cancelled_run() -> None:
    """N permits and N+1 runs, one failing and one cancelled: N permits afterwards."""
    admitting, release = admission(3, acquire_s=TINY_S), asyncio.Event()

    async def held(_: object) -> bool:
        return await release.wait()

    runs = [
        asyncio.create_task(admitting.run(work))
        for work in (held, raising(ValueError()), forever, held)
    ]
    await asyncio.sleep(0)
    runs[2].cancel()
    release.set()
    ends = await ends_of(*runs)

    release.clear()
    again = [asyncio.create_task(admitting.run(held)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(RunStoppedError):
        await admitting.run(answered)
    release.set()

    assert [await run for run in again] == [True, True, True]
    assert ends == [None, ValueError, asyncio.CancelledError, None]
