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
    if isinstance(returned, AsyncGenerator | Generator):
        return _Yield(returned)
    if isinstance(returned, AbstractAsyncContextManager | AbstractContextManager):
        return returned
    return None


def _is_component(returned: object, wanted: type) -> bool:
    return is_checkable(wanted) and isinstance(returned, wanted)


_ENDED = object()
_Generator = Generator[object, None, object] | AsyncGenerator[object, None]


class _Yield(AbstractAsyncContextManager[object]):
    """A generator that yields a component, and closes it afterwards."""

    def __init__(self, generator: _Generator) -> None:
        self._generator = generator

    async def _resume(self, error: BaseException | None = None) -> object:
        """Return what is yielded next, or that there is nothing more."""
        generator = self._generator
        try:
            if isinstance(generator, Generator):
                return next(generator) if error is None else generator.throw(error)
            return await (anext(generator) if error is None else generator.athrow(error))
        except (StopIteration, StopAsyncIteration):
            return _ENDED

    async def __aenter__(self) -> object:
        made = await self._resume()
        if made is _ENDED:
            raise YieldError("it ended without a yield; yield the component once")
        return made

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if await self._resume(error) is _ENDED:
            return True
        if isinstance(self._generator, Generator):
            self._generator.close()
        else:
            await self._generator.aclose()
        raise YieldError("it went on to a second yield; yield the component once")
