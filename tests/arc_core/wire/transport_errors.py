"""Exceptions of the libraries that carry requests, and those that Arc makes of them."""

from collections.abc import Iterator

import aiohttp
import httpx2

from arc_core import InvalidResponseError, ModelError, ModelTimeoutError, ModelUnavailableError

__all__ = ["TRANSPORT_ERRORS", "caused", "subclasses"]

TRANSPORT_ERRORS: list[tuple[Exception, type[ModelError]]] = [
    (httpx2.ReadTimeout("slow"), ModelTimeoutError),
    (httpx2.RemoteProtocolError("gone"), ModelUnavailableError),
    (aiohttp.ClientPayloadError("cut"), ModelUnavailableError),
    (ConnectionResetError(), ModelUnavailableError),
    (TimeoutError(), ModelTimeoutError),
    (ValueError("no JSON"), ModelUnavailableError),
    (KeyError("content"), InvalidResponseError),
]


def subclasses(cls: type[Exception]) -> Iterator[type[Exception]]:
    """A class and all below it."""
    yield cls
    for below in cls.__subclasses__():
        yield from subclasses(below)


def caused(error: Exception, cause: Exception) -> Exception:
    """An exception with a cause."""
    error.__cause__ = cause
    return error
