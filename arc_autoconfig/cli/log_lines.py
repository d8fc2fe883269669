"""Warnings and errors as single lines, for people who run a command and did not ask for logs."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LineFormatter", "brief_logging"]


@contextmanager
def brief_logging(*, with_tracebacks: bool) -> Iterator[None]:
    """Write Arc's warnings and errors to standard error while the context lasts."""
    arc = logging.getLogger("arc")
    detailed = [logging.getLogger("arc.plugins"), logging.getLogger("arc.runs")]
    handler, level = logging.StreamHandler(sys.stderr), arc.level
    handler.setFormatter(LineFormatter(with_tracebacks=with_tracebacks))
    arc.addHandler(handler)
    arc.setLevel(logging.WARNING)
    for each in detailed:
        each.setLevel(logging.DEBUG if with_tracebacks else logging.NOTSET)
    try:
        yield
    finally:
        arc.removeHandler(handler)
        arc.setLevel(level)
        for each in detailed:
            each.setLevel(logging.NOTSET)


class LineFormatter(logging.Formatter):
    """`error: run failed: ModelTimeoutError: no answer`, with the traceback only if wanted."""

    def __init__(self, *, with_tracebacks: bool) -> None:
        super().__init__()
        self._with_tracebacks = with_tracebacks

    def format(self, record: logging.LogRecord) -> str:
        """One line, unless a traceback follows."""
        line = f"{record.levelname.lower()}: {record.getMessage()}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None or record.exc_info is None:
            words = getattr(record, "error", None)
            return line if words is None else f"{line}: {' '.join(str(words).split())}"
        if self._with_tracebacks:
            return f"{line}\n{self.formatException(record.exc_info)}"
        return f"{line}: {type(error).__name__}: {' '.join(str(error).split())}"
