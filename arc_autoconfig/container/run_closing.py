"""Closes the components of one run, last made first."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

from arc_autoconfig.container.lifecycle import method_of
from arc_autoconfig.container.resources import Opening
from arc_autoconfig.containment import Contained
from arc_core.log import get_logger

__all__ = ["Closing"]

logger = get_logger("lifecycle")

Close = Callable[[BaseException | None], Awaitable[None]]


class Closing:
    """What has to be closed.

    Args:
        timeout_s: How long the close of one component may take.
    """

    def __init__(self, *, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._open: list[tuple[str, Close]] = []

    def add(self, close: Close, *, owner: str) -> None:
        """Have something closed; it is told how the run ended."""
        self._open.append((owner, close))

    async def start(self, made: object, *, owner: str) -> None:
        """Start a component that wants it, and have it closed.

        It may have `start()` and `aclose()`, either or both, or be a context manager.

        Raises:
            BaseException: Whatever the component raises.
        """
        begin, end = method_of(made, "start"), method_of(made, "aclose")
        is_manager = isinstance(made, AbstractAsyncContextManager | AbstractContextManager)
        if begin is None and is_manager:
            opening = Opening(made)
            await opening.open()
            self.add(opening.close, owner=owner)
            return
        if begin is not None:
            await _call(begin)
        if end is not None:
            self.add(lambda _: _call(end), owner=owner)

    async def close_all(self, error: BaseException | None) -> tuple[str, ...]:
        """Close everything; what fails is logged, and the others are closed.

        Args:
            error: How the run ended.

        Returns:
            Whose close failed.

        Raises:
            asyncio.CancelledError: The caller was cancelled meanwhile; everything is closed.
        """
        failed: list[str] = []
        cancellation: asyncio.CancelledError | None = None
        while self._open:
            owner, close = self._open.pop()
            try:
                if not await self._close(owner, close, error):
                    failed.append(owner)
            except asyncio.CancelledError as raised:
                cancellation = raised
        if cancellation is not None:
            raise cancellation
        return tuple(failed)

    async def _close(self, owner: str, close: Close, error: BaseException | None) -> bool:
        with Contained() as attempt:
            async with asyncio.timeout(self._timeout_s):
                await close(error)
        if attempt.error is None or _is_cancellation(attempt.error, error):
            return True
        message = f"{owner} did not close at the end of a run"
        logger.error(message, component=owner, exc_info=attempt.error)
        return False


def _is_cancellation(raised: BaseException, error: BaseException | None) -> bool:
    """Whether a component has passed on the cancellation that it was told of."""
    return isinstance(raised, asyncio.CancelledError) and isinstance(error, asyncio.CancelledError)


async def _call(method: Callable[..., Any]) -> None:
    returned = method()
    if inspect.isawaitable(returned):
        await returned
