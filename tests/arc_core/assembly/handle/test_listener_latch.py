"""Something that happens once."""

import asyncio
import threading

from arc_core.assembly.handle.listener import Latch


async def test_everyone_goes_on_once_it_is_set() -> None:
    """Tasks that waited before and tasks that come later."""
    latch = Latch()
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(latch.wait())
        await asyncio.sleep(0)
        latch.set()
        latch.set()

    await latch

    assert latch.is_set


async def test_a_waiter_that_gives_up_leaves_nothing_behind() -> None:
    """Waiting again and again with a time-out does not pile anything up."""
    latch = Latch()

    for _ in range(3):
        waiting = asyncio.create_task(latch.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])

    assert latch._waiters == set()


async def test_a_thread_may_set_it() -> None:
    """The loop is woken from outside."""
    latch = Latch()
    timer = threading.Thread(target=latch.set)

    timer.start()
    await latch

    assert latch.is_set


def test_loops_that_are_gone_do_not_matter() -> None:
    """A task that waited in a loop that was closed does not keep the others waiting."""
    latch = Latch()
    loop = asyncio.new_event_loop()
    latch._waiters.add(loop.create_future())
    loop.close()

    latch.set()

    assert latch.wait_in_thread(0)


def test_a_thread_waits_no_longer_than_it_says() -> None:
    """False says that the time was not enough."""
    assert not Latch().wait_in_thread(0)
