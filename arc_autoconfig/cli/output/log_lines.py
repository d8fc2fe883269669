"""Warnings and errors as single lines, for people who run a command and did not ask for logs."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from arc_autoconfig.visible_text import visible, visible_block
from arc_core.log import RECORD_ATTRIBUTES
from arc_core.text.addresses import mask_addresses

_NOT_DETAILS = RECORD_ATTRIBUTES | {"run_id", "user_id", "session_id", "tenant_id", "taskName"}


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
    """`error: guard failed (guard=Pii): ValueError: no key`, with the traceback only if wanted."""

    def __init__(self, *, with_tracebacks: bool) -> None:
        super().__init__()
        self._with_tracebacks = with_tracebacks

    def format(self, record: logging.LogRecord) -> str:
        """One line, unless a traceback follows."""
        line = f"{record.levelname.lower()}: {record.getMessage()}{_details(record)}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None or record.exc_info is None:
            return _to_one_line(line)
        if self._with_tracebacks:
            trace = visible_block(mask_addresses(self.formatException(record.exc_info)))
            return f"{_to_one_line(line)}\n{trace}"
        return _to_one_line(f"{line}: {type(error).__name__}: {error}")


def _details(record: logging.LogRecord) -> str:
    """The fields of a record besides its message, but for the run and for what is said already."""
    message = record.getMessage()
    fields = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in vars(record).items()
        if name not in _NOT_DETAILS and value is not None
    }
    told = [f"{name}={value}" for name, value in fields.items() if value not in message]
    return f" ({', '.join(told)})" if told else ""


def _to_one_line(line: str) -> str:
    return visible(" ".join(mask_addresses(line).split()), one_line=True)
