"""Arc's loggers: structured events that go where the application's standard logging goes.

A library must not decide where a company's logs end up. Each event becomes a standard log record
below the logger `arc`, with the event's fields and those of its run (`run_id`, `user_id`,
`session_id`) as extra attributes of the record.
"""

import logging

import structlog

__all__ = ["Logger", "get_logger"]

Logger = structlog.stdlib.BoundLogger


def get_logger(name: str) -> Logger:
    """A logger below the standard logger `arc`, named by the part of Arc it speaks for."""
    logger: Logger = structlog.wrap_logger(
        logging.getLogger(f"arc.{name}"),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.render_to_log_kwargs,
        ],
        wrapper_class=Logger,
        cache_logger_on_first_use=True,
    )
    return logger
