"""A process without logging of its own, which a test run never is."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_handlers() -> Iterator[None]:
    """Take away the handlers that the test runner has put on the root logger."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    root.handlers.clear()
    try:
        yield
    finally:
        root.handlers[:] = handlers
