"""One does the work, the others wait; a leader that fails is followed by exactly one."""

import asyncio

import pytest

from arc_core.engine.caching.response_caching import Landed, SingleFlight


class Kitchen:
    """Cooks one meal at a time, and counts.

    Attributes:
        cooked: How often a cook has begun.
    """

    def __init__(self) -> None:
        self.flights: SingleFlight[str] = SingleFlight()
        self.cooked = 0
        self.is_cooking = asyncio.Event()
        self.may_serve = asyncio.Event()

    async def meal(self, key: str = "soup") -> str:
        """Another cook's meal, or one cooked here; it is spoilt if `may_serve` is never set."""
        landed = await self.flights.wait_for_leader(key)
        if landed is not None:
            return landed.value or "cooked alone"
        with self.flights.lead(key) as flight:
            self.cooked += 1
            self.is_cooking.set()
            await self.may_serve.wait()
            flight.set_result(Landed("soup"))
        return "soup"


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_many_share_one_result() -> None:
    """A hundred who come at the same time cause the work to be done once."""
    kitchen = Kitchen()

    async with asyncio.TaskGroup() as group:
        meals = [group.create_task(kitchen.meal()) for _ in range(100)]
        await settle()
        kitchen.may_serve.set()

    assert {meal.result() for meal in meals} == {"soup"}
    assert kitchen.cooked == 1


async def test_keys_do_not_wait_for_each_other() -> None:
    """Who wants something else does it at the same time."""
    kitchen = Kitchen()

    async with asyncio.TaskGroup() as group:
        group.create_task(kitchen.meal("soup"))
        group.create_task(kitchen.meal("salad"))
        await settle()
        assert kitchen.cooked == 2
        kitchen.may_serve.set()


async def test_who_comes_later_does_the_work_again() -> None:
    """A flight is over once it has landed; keeping results is the caller's business."""
    kitchen = Kitchen()
    kitchen.may_serve.set()

    await kitchen.meal()
    await kitchen.meal()

    assert kitchen.cooked == 2


async def test_one_takes_over_from_a_cancelled_leader() -> None:
    """Of all who wait exactly one does the work anew, and the others get its result."""
    kitchen = Kitchen()

    async with asyncio.TaskGroup() as group:
        leader = group.create_task(kitchen.meal())
        await kitchen.is_cooking.wait()
        waiting = [group.create_task(kitchen.meal()) for _ in range(99)]
        await settle()
        leader.cancel()
        await settle()
        assert kitchen.cooked == 2
        kitchen.may_serve.set()

    assert leader.cancelled()
    assert {meal.result() for meal in waiting} == {"soup"}
    assert kitchen.cooked == 2


async def test_one_takes_over_from_a_leader_that_fails() -> None:
    """A failure is the leader's own; those who wait try themselves, one after the other."""
    flights: SingleFlight[str] = SingleFlight()
    attempts: list[int] = []

    async def attempt(number: int) -> str:
        landed = await flights.wait_for_leader("key")
        if landed is not None:
            return str(landed.value)
        with flights.lead("key") as flight:
            attempts.append(number)
            await asyncio.sleep(0)
            if number < 2:
                raise ConnectionError
            flight.set_result(Landed("done"))
        return "done"

    tasks = [asyncio.create_task(attempt(number)) for number in range(10)]
    await asyncio.wait(tasks)

    assert attempts == [0, 1, 2]
    assert [task.result() for task in tasks[2:]] == ["done"] * 8
    assert all(isinstance(task.exception(), ConnectionError) for task in tasks[:2])


async def test_a_cancelled_waiter_disturbs_no_other() -> None:
    """Who stops waiting does not stop the work."""
    kitchen = Kitchen()

    async with asyncio.TaskGroup() as group:
        leader = group.create_task(kitchen.meal())
        await kitchen.is_cooking.wait()
        gone, patient = (group.create_task(kitchen.meal()) for _ in range(2))
        await settle()
        gone.cancel()
        await settle()
        kitchen.may_serve.set()

    assert gone.cancelled()
    assert (leader.result(), patient.result(), kitchen.cooked) == ("soup", "soup", 1)


async def test_a_result_for_the_leader_alone_is_told() -> None:
    """Who has waited for nothing learns so, and is not made to wait again."""
    flights: SingleFlight[str] = SingleFlight()

    async def lead() -> None:
        with flights.lead("key") as flight:
            await settle()
            flight.set_result(Landed(None))

    async with asyncio.TaskGroup() as group:
        group.create_task(lead())
        await asyncio.sleep(0)
        waiting = [group.create_task(flights.wait_for_leader("key")) for _ in range(3)]

    assert [task.result() for task in waiting] == [Landed(None)] * 3


async def test_nothing_is_left_behind() -> None:
    """However a flight ends, nothing remembers it."""
    kitchen = Kitchen()
    task = asyncio.create_task(kitchen.meal())
    await kitchen.is_cooking.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert kitchen.flights._flights == {}
