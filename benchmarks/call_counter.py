"""Calls of some work, counted: the same each time, whatever else the machine does."""

import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["CallCounter", "count_calls"]

_WARM_UP = 30


@dataclass
class CallCounter:
    """Counts the calls of the thread that it is used in.

    Attributes:
        folders: Parts of paths, such as `/arc_plugins/journals/`.
        calls: So far: of Python functions, of functions in C, and of generators that go on.
        calls_in_folders: Of these, the ones of code in the folders, or by it.
    """

    folders: tuple[str, ...] = ()
    calls: int = 0
    calls_in_folders: int = 0

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.calls += 1
            path = frame.f_code.co_filename
            self.calls_in_folders += any(each in path for each in self.folders)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count; garbage is left lying meanwhile, since its collection calls, too."""
        gc.collect()
        gc.disable()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            gc.enable()

    async def count(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do some work thirty times, and count it once."""
        for _ in range(_WARM_UP):
            await work()
        with self.counting():
            await work()


async def count_calls(work: Callable[[], Awaitable[object]]) -> int:
    """Count the calls of some work that has been done thirty times before."""
    counter = CallCounter()
    await counter.count(work)
    return counter.calls
