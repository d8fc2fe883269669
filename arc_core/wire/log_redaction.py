"""Keeps credentials out of what HTTP libraries log.

They log whole addresses, httpx2 at INFO already, and services put tokens into paths and queries.
"""

import logging
import re
import traceback

from arc_core.text.addresses import cut_addresses

__all__ = ["redact_addresses"]

_LIBRARIES = ("aiohttp", "anthropic", "httpcore2", "httpx2", "mcp", "openai")
_TRACED_VALUE = re.compile(r" return_value=.*", re.DOTALL)  # headers of responses among them
_HEADERS = re.compile(r"\bHeaders\(\{.*", re.DOTALL)  # cookies, and where a redirect leads
_MASK = "***"


def redact_addresses() -> None:
    """Have the loggers of all HTTP libraries tell an address by scheme, host and port alone.

    A filter counts for the logger it is added to and not for those below, so that it is added to
    every logger that the libraries have made so far: call it once they are imported.
    """
    for name in (*_LIBRARIES, *logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_redact_record)


def _redact_record(record: logging.LogRecord) -> bool:
    try:
        message = record.getMessage()
    except (TypeError, ValueError):
        return True  # arguments that do not fit the message: the handler reports that
    redacted = _HEADERS.sub(f"Headers({_MASK})", cut_addresses(message))
    if record.name.startswith("httpcore2"):
        redacted = _TRACED_VALUE.sub("", redacted)
    if redacted != message:
        record.msg, record.args = redacted, None
    if record.exc_info and record.exc_info[0] is not None:
        _redact_traceback(record)
    return True


def _redact_traceback(record: logging.LogRecord) -> None:
    assert record.exc_info
    text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
    redacted = cut_addresses(text)
    if redacted != text:
        record.exc_info, record.exc_text = None, redacted
