"""The admission of runs: a number of permits, and a deadline for each."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arc_core.engine.run_state import RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.settings import ConcurrencySettings

T = TypeVar("T")


class Admission:
    """A number of permits shared by all entry points, and a deadline for each run.

    Belongs to the event loop it is first waited in.
    """

    def __init__(self, settings: ConcurrencySettings) -> None:
        self._permits = asyncio.Semaphore(settings.max_concurrent_requests)
        self._settings = settings

    async def run(
        self,
        work: Callable[[asyncio.Timeout], Awaitable[T]],
        *,
        deadline_s: float | None = None,
        has_permit: bool = False,
    ) -> T:
        """Do the work with a permit, within the deadline.

        Args:
            work: What is done; it may put off the deadline that it is given, or bring it forward.
            deadline_s: A bound of its own, within that of the settings.
            has_permit: Whether it is part of work that has one.

        Raises:
            RunStoppedError: OVERLOADED without a permit in time, TIMEOUT past the deadline.
            Exception: Whatever the work raises, its own TimeoutError too.
        """
        if has_permit:
            return await self._within_deadline(work, deadline_s)
        await self._acquire()
        try:
            return await self._within_deadline(work, deadline_s)
        finally:
            self._permits.release()

    async def _acquire(self) -> None:
        if not self._permits.locked():
            await self._permits.acquire()
            return
        scope = asyncio.timeout(self._settings.acquire_timeout_s)
        try:
            async with scope:
                await self._permits.acquire()
        except TimeoutError as error:
            raise RunStoppedError(AgentErrorCode.OVERLOADED) from error

    async def _within_deadline(
        self, work: Callable[[asyncio.Timeout], Awaitable[T]], deadline_s: float | None
    ) -> T:
        allowed = self._settings.request_timeout_s or None
        if deadline_s is not None:
            allowed = deadline_s if allowed is None else min(allowed, deadline_s)
        deadline = asyncio.timeout(allowed)
        try:
            async with deadline:
                return await work(deadline)
        except Exception as error:  # past the deadline all else is a consequence of it
            if deadline.expired():
                raise RunStoppedError(AgentErrorCode.TIMEOUT) from error
            raise
