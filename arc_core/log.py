"""Arc's loggers: structured events that go where the application's standard logging goes.

A library must not decide where a company's logs end up. Each event becomes a standard log record
below the logger `arc`, with the event's fields and those of its run (`run_id`, `user_id`,
`session_id`, of agents `agent` and `parent_run_id`, of requests `request_id`) as extra attributes
of the record.
"""

import logging
import re
from collections.abc import Mapping
from contextvars import Context
from typing import Any

import structlog
from structlog.contextvars import bind_contextvars, get_contextvars
from structlog.typing import EventDict

Logger = structlog.stdlib.BoundLogger
"""A logger of structlog; constructors that ask for one get one below `arc`."""

RECORD_ATTRIBUTES = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime"})
"""The attributes of every standard log record; its others are the event's fields."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_RENDERED = {"exc_info", "stack_info"}  # structlog hands these to logging as what they are


def get_logger(name: str) -> Logger:
    """A logger below the standard logger `arc`, named by the part of Arc it speaks for."""
    logger: Logger = structlog.wrap_logger(
        logging.getLogger(f"arc.{name}"),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            _beside_record_attributes,
            _as_valid_unicode,
            structlog.stdlib.render_to_log_kwargs,
        ],
        wrapper_class=Logger,
        cache_logger_on_first_use=True,
    )
    return logger


def request_context() -> Context:
    """An empty context but for the id of the request that is answered, which log lines have."""
    context = Context()
    request_id = get_contextvars().get("request_id")
    if request_id is not None:
        context.run(bind_contextvars, request_id=request_id)
    return context


def _as_valid_unicode(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Escape halves of surrogate pairs: an output that cannot encode them loses the record."""
    for field, value in event.items():
        if not isinstance(value, int | float | None):
            event[field] = _encodable(value)
    return event


def _encodable(value: Any) -> Any:
    match value:
        case str():
            is_valid = value.isascii() or not _SURROGATE.search(value)
            return value if is_valid else value.encode("utf-8", "backslashreplace").decode("utf-8")
        case Mapping():
            return {_encodable(name): _encodable(item) for name, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in value]
    return value


def _beside_record_attributes(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Rename fields that logging reserves (`name` becomes `name_`), since it raises for them."""
    for field in RECORD_ATTRIBUTES.intersection(event) - _RENDERED:
        event[f"{field}_"] = event.pop(field)
    return event
