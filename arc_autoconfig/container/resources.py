"""Components that are opened before they are there: generators, context managers, coroutines."""

import inspect
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Any

from arc_autoconfig.declare.interface_members import is_checkable

__all__ = ["Opening", "YieldError", "find_opening"]


class YieldError(Exception):
    """A generator that makes a component does not yield exactly once."""


class Opening:
    """Something that a factory has returned in the place of a component."""

    def __init__(self, returned: Any, wanted: type | None = None) -> None:
        self._returned, self._wanted = returned, wanted
        self._manager: Any = None

    async def open(self) -> object:
        """Wait for the component, or run up to the `yield`."""
        returned = self._returned
        if self._wanted is not None and inspect.isawaitable(returned):
            returned = await returned
        is_component = self._wanted is not None and _is_component(returned, self._wanted)
        manager = None if is_component else _find_manager(returned)
        if manager is None:
            return returned
        self._manager = manager
        if isinstance(manager, AbstractAsyncContextManager):
            return await manager.__aenter__()
        return manager.__enter__()

    @property
    def is_managed(self) -> bool:
        """True if `close` has something to do, once it is open."""
        return self._manager is not None

    async def close(self, error: BaseException | None = None) -> None:
        """Run what follows the `yield`."""
        if self._manager is None:
            return
        details = (None, None, None) if error is None else (type(error), error, error.__traceback__)
        try:
            if isinstance(self._manager, AbstractAsyncContextManager):
                await self._manager.__aexit__(*details)
            else:
                self._manager.__exit__(*details)
        except BaseException as raised:
            if raised is error:
                return
            raise

    def discard(self) -> None:
        """Throw away a coroutine that is not awaited, so that Python does not warn of it."""
        if inspect.iscoroutine(self._returned):
            self._returned.close()


def find_opening(returned: object, wanted: type) -> Opening | None:
    """Return how to open what a factory has returned; None for a component of the wanted type."""
    is_opened = inspect.isawaitable(returned) or _find_manager(returned) is not None
    if _is_component(returned, wanted) or not is_opened:
        return None
    return Opening(returned, wanted)


def _find_manager(
    returned: Any,
) -> AbstractAsyncContextManager[object] | AbstractContextManager[object] | None:
    if isinstance(returned, AsyncGenerator):
        return _AsyncYield(returned)
    if isinstance(returned, Generator):
        return _Yield(returned)
    if isinstance(returned, AbstractAsyncContextManager | AbstractContextManager):
        return returned
    return None


def _is_component(returned: object, wanted: type) -> bool:
    return is_checkable(wanted) and isinstance(returned, wanted)


_NEVER = "it ended without a yield; yield the component once"
_TWICE = "it went on to a second yield; yield the component once"


class _Yield(AbstractContextManager[object]):
    """A generator that yields a component, and closes it afterwards."""

    def __init__(self, generator: Generator[object, None, object]) -> None:
        self._generator = generator

    def __enter__(self) -> object:
        try:
            return next(self._generator)
        except StopIteration:
            raise YieldError(_NEVER) from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        try:
            if error is None:
                next(self._generator)
            else:
                self._generator.throw(error)
        except StopIteration:
            return True
        self._generator.close()
        raise YieldError(_TWICE)


class _AsyncYield(AbstractAsyncContextManager[object]):
    """An asynchronous generator that yields a component, and closes it afterwards."""

    def __init__(self, generator: AsyncGenerator[object, None]) -> None:
        self._generator = generator

    async def __aenter__(self) -> object:
        try:
            return await anext(self._generator)
        except StopAsyncIteration:
            raise YieldError(_NEVER) from None

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        try:
            if error is None:
                await anext(self._generator)
            else:
                await self._generator.athrow(error)
        except StopAsyncIteration:
            return True
        await self._generator.aclose()
        raise YieldError(_TWICE)
