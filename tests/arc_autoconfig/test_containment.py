"""The boundary to code of others."""

import asyncio

import pytest

from arc_autoconfig.containment import Contained


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), GeneratorExit(), asyncio.CancelledError()], ids=repr
)
def test_whatever_is_raised_is_kept(error: BaseException) -> None:
    """Without an event loop, a CancelledError is an error like any other."""
    with Contained() as attempt:
        raise error

    assert attempt.error is error


def test_ctrl_c_leaves() -> None:
    """A person wants everything to end."""
    with pytest.raises(KeyboardInterrupt), Contained():
        raise KeyboardInterrupt


async def test_the_cancellation_of_the_own_task_leaves() -> None:
    """One that a component raises by itself does not cancel its caller."""

    async def work() -> None:
        with Contained():
            raise asyncio.CancelledError
        with Contained():
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
