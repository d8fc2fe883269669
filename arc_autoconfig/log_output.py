"""Where Arc's log records go in a process that has no logging of its own: to standard error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from arc_autoconfig.settings import LogFormat, LoggingSettings

__all__ = ["logging_to_stderr"]


@contextmanager
def logging_to_stderr(settings: LoggingSettings) -> Iterator[None]:
    """Write Arc's records while the context lasts, unless the process has handlers for them.

    Args:
        settings: From which severity on, and in which form.
    """
    arc = logging.getLogger("arc")
    if arc.handlers or logging.getLogger().handlers:
        yield
        return
    handler, level = _handler(settings.format), arc.level
    arc.addHandler(handler)
    arc.setLevel(settings.level.value)
    try:
        yield
    finally:
        arc.removeHandler(handler)
        arc.setLevel(level)


def _handler(form: LogFormat) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    renderer: structlog.typing.Processor
    if form is LogFormat.JSON:
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.ExtraAdder(),
                structlog.processors.TimeStamper(fmt="iso"),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderer,
            ],
        )
    )
    return handler
