"""Signals that tell commands to end which go on until then."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["end_asked_for"]


@contextmanager
def end_asked_for() -> Iterator[asyncio.Event]:
    """Set by Ctrl-C and SIGTERM; on Windows, Ctrl-C ends everything."""
    ending, loop = asyncio.Event(), asyncio.get_running_loop()
    handled: list[signal.Signals] = []
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, ending.set)
            except NotImplementedError:
                break
            handled.append(number)
        yield ending
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
