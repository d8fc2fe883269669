"""The caller, whom the server finds before a surface is asked."""

from starlette.requests import HTTPConnection

from arc_core.runs.callers import Caller

__all__ = ["CALLER", "caller_of", "has_caller"]

CALLER = "arc.caller"
"""The key of the ASGI scope under which the server puts the caller."""


def caller_of(request: HTTPConnection) -> Caller:
    """The caller of a request, also of one below a mounted application."""
    caller: Caller = request.scope[CALLER]
    return caller


def has_caller(request: HTTPConnection) -> bool:
    """Return whether the caller is known; on a public path it may not be."""
    return CALLER in request.scope
