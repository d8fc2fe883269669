"""Checks of vendors' addresses, and addresses in logs without their secrets."""

import logging
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from arc_core.errors import ConfigurationError
from arc_core.text.addresses import AddressParts, cut_addresses, origin_of

__all__ = ["check_base_url", "explain_unreadable_address", "redact_addresses"]


def check_base_url(address: AddressParts, *, setting: str, key_variable: str) -> None:
    """See that an address has no user name and no password, which would travel in the key's place.

    Args:
        address: Where requests will be sent.
        setting: Where it is set, for the remedy.
        key_variable: The environment variable for the key.

    Raises:
        ConfigurationError: It has one of them; the error tells neither.
    """
    if address.userinfo:
        raise ConfigurationError(
            f"{setting} holds a user name or a password for {origin_of(address)}, and they cannot "
            "be sent, since the key is sent in their place",
            remedy=f"take them out of {setting}, and set {key_variable} or llm.api_key to the key "
            "of that server",
        )


@contextmanager
def explain_unreadable_address(setting: str) -> Iterator[None]:
    """Say of an address that a client cannot read where it is set, and nothing that it holds.

    Variables of the environment name addresses, too, which only the client reads. Its error repeats
    what it could not read, which may be a password.

    Args:
        setting: Where the address is set, if it is not a variable.

    Raises:
        ConfigurationError: The client has not read an address.
    """
    try:
        yield
    except httpx2.InvalidURL:
        raise ConfigurationError(
            f"{setting}, or a variable of the environment that names a server or a proxy, is not "
            "an address",
            remedy="write it as https://host:port/path, special characters of a user and a "
            "password as %XX; variables such as OPENAI_BASE_URL and HTTPS_PROXY count, too",
        ) from None


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
