"""Prints Arc's log records to standard error, in a process that has no logging of its own."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from arc_autoconfig.settings import LogFormat, LoggingSettings
from arc_autoconfig.visible_text import escape_in_json, visible, visible_block
from arc_core.errors import ArcError
from arc_core.text.addresses import mask_addresses

__all__ = ["logging_to_stderr"]

_OF_MANY_LINES = ("exception", "stack")


@contextmanager
def logging_to_stderr(settings: LoggingSettings) -> Iterator[None]:
    """Write Arc's records while the context lasts, unless the process has handlers for them.

    Args:
        settings: From which severity on, and in which form.
    """
    arc = logging.getLogger("arc")
    if arc.handlers or logging.getLogger().handlers or sys.stderr is None:
        yield
        return
    handler, level, last_resort = _handler(settings.format), arc.level, logging.lastResort
    arc.addHandler(handler)
    arc.setLevel(settings.level.value)
    logging.lastResort = _handler(settings.format)  # warnings of libraries look like records, too
    logging.lastResort.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logging.lastResort = last_resort
        arc.removeHandler(handler)
        arc.setLevel(level)


def _handler(form: LogFormat) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    renderers: list[Processor] = [structlog.processors.JSONRenderer(serializer=_to_json)]
    if form is not LogFormat.JSON:
        renderers = [_make_visible, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
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
                _shorten_expected_error,
                structlog.processors.format_exc_info,
                _mask_addresses_in_texts,
                *renderers,
            ],
        )
    )
    return handler


def _shorten_expected_error(_logger: object, _method: str, event: EventDict) -> EventDict:
    """A failure that Arc names itself, as of a vendor, is a line; its traceback is for DEBUG."""
    error = event["exc_info"][1] if isinstance(event.get("exc_info"), tuple) else None
    if isinstance(error, ArcError) and not logging.getLogger("arc").isEnabledFor(logging.DEBUG):
        del event["exc_info"]
        event["error"] = f"{type(error).__name__}: {error}"
    return event


def _mask_addresses_in_texts(_logger: object, _method: str, event: EventDict) -> EventDict:
    for name, value in event.items():
        if isinstance(value, str) and "://" in value:
            event[name] = mask_addresses(value)
    return event


def _make_visible(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Ids and names of tools are foreign text; only a traceback keeps its lines, indented."""
    return {visible(name, one_line=True): _show(name, value) for name, value in event.items()}


def _show(name: str, value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    return visible_block(text) if name in _OF_MANY_LINES else visible(text, one_line=True)


def _to_json(event: Any, **options: Any) -> str:
    """JSON may hold control characters above 0x7e as they are; a terminal would obey them."""
    return escape_in_json(json.dumps(event, ensure_ascii=False, **options))
