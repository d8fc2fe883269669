"""Keeps credentials out of what HTTP libraries log.

They log whole addresses, httpx2 at INFO already, and services put tokens into paths and queries.
"""

import logging
import re
import traceback

__all__ = ["redact_addresses"]

_LIBRARIES = ("aiohttp", "anthropic", "httpcore2", "httpx2", "mcp", "openai")
_ADDRESS = re.compile(r"\b([a-z][a-z0-9+.-]{0,15}://)([^\s'\"<>]*)", re.IGNORECASE)
_TRACED_VALUE = re.compile(r" return_value=.*", re.DOTALL)  # headers of responses among them
_HEADERS = re.compile(r"\bHeaders\(\{.*\}\)", re.DOTALL)  # cookies, and where a redirect leads
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
    redacted = _HEADERS.sub(f"Headers({_MASK})", _redact(message))
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
    redacted = _redact(text)
    if redacted != text:
        record.exc_info, record.exc_text = None, redacted


def _redact(text: str) -> str:
    return _ADDRESS.sub(_origin, text) if "://" in text else text


def _origin(match: re.Match[str]) -> str:
    scheme, rest = match.groups()
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in rest[len(authority) :]:  # a password may hold what ends an authority
        return f"{scheme}{_MASK}"
    host = authority.rpartition("@")[2]
    return f"{scheme}{host}" if rest == host else f"{scheme}{host}/{_MASK}"
