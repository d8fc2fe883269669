"""Signals that tell commands to end which go on until then."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def handled_signals(handle: Callable[[], None], *signals: signal.Signals) -> Iterator[None]:
    """Call a function at each signal; on Windows, Ctrl-C ends everything."""
    loop, handled = asyncio.get_running_loop(), list[signal.Signals]()
    try:
        for number in signals:
            try:
                loop.add_signal_handler(number, handle)
            except NotImplementedError:
                break
            handled.append(number)
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


@contextmanager
def end_asked_for() -> Iterator[asyncio.Event]:
    """Set by Ctrl-C and SIGTERM."""
    ending = asyncio.Event()
    with handled_signals(ending.set, signal.SIGINT, signal.SIGTERM):
        yield ending
