"""The events of a run on their way to its journal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arc_core.engine.event_channel import EventChannel
from arc_core.log import get_logger
from arc_core.runs.journal import RunJournal
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("journal")


class JournalChannel(EventChannel):
    """A channel whose reader is the journal.

    Args:
        journal: Keeps the events.
    """

    def __init__(self, journal: RunJournal) -> None:
        super().__init__()
        self._journal = journal
        self._in_order = asyncio.Lock()

    async def flush(self) -> None:
        """Publish all events that are there, in their order."""
        async with self._in_order:
            while (event := self.poll()) is not None:
                assert not isinstance(event, str)
                await self._journal.publish(event)

    @asynccontextmanager
    async def publishing(self) -> AsyncIterator[None]:
        """Publish the events as they come."""
        task = asyncio.create_task(self._publish_all())
        try:
            yield
        finally:
            self.close()
            await wait_despite_cancellation(task)

    async def _publish_all(self) -> None:
        try:
            while await self.wait_for_event():
                await self.flush()
        except Exception:  # the steps of the run tell of it, too
            logger.exception("events of a run could not be published")
        finally:
            self.abandon()
