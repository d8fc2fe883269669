"""What attempts at durable runs do, for tests."""

import asyncio

from arc_core import AgentCommand
from arc_core.testing.conformance.run_journal.rules import Attempt

__all__ = ["Gate", "do_step"]


async def do_step(attempt: Attempt, _: AgentCommand) -> None:
    """A step of a model, and the end."""
    await attempt.do("model/1")


class Gate:
    """A body whose second step ends when the test says so."""

    def __init__(self) -> None:
        self.at_work, self.may_end = asyncio.Event(), asyncio.Event()

    async def act(self, attempt: Attempt, _: AgentCommand) -> None:
        """Two steps, and the end."""

        async def wait() -> None:
            self.at_work.set()
            await self.may_end.wait()

        await attempt.do("enter")
        await attempt.do("model/1", during=wait)
