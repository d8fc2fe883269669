"""The answers of a server that wants a login, or a login that allows more."""

from dataclasses import dataclass

import httpx2
from mcp.client.auth.utils import (
    extract_field_from_www_auth,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
)

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_MAX_SCOPES, _MAX_SCOPE_CHARS = 50, 200


@dataclass(frozen=True, slots=True)
class Challenge:
    """The reason why a server does not do what it was asked.

    Attributes:
        scopes: Those that it wants.
        is_for_more: Whether the token is good, and not for this.
        metadata_url: Where the server describes itself, as it says; None if it does not.
    """

    scopes: tuple[str, ...] = ()
    is_for_more: bool = False
    metadata_url: str | None = None


class LoginWantedError(Exception):
    """A server wants a login, or one that allows more, before it does what it was asked."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__("the MCP server wants a login")
        self.challenge = challenge


def read_challenge(response: httpx2.Response) -> Challenge | None:
    """Return what a server wants, by the head of its response; None if it is not a login."""
    status = response.status_code
    if status not in {_UNAUTHORIZED, _FORBIDDEN}:
        return None
    scopes = read_scopes((extract_scope_from_www_auth(response) or "").split())
    if status == _FORBIDDEN:
        error = extract_field_from_www_auth(response, "error")
        is_for_more = error == "insufficient_scope" and bool(scopes)
        return Challenge(scopes, is_for_more=True) if is_for_more else None
    return Challenge(scopes, metadata_url=extract_resource_metadata_from_www_auth(response))


def read_scopes(given: object) -> tuple[str, ...]:
    """Return the scopes in a list that a server has sent, without what cannot be one."""
    scopes = given if isinstance(given, list) else []
    return tuple(each for each in scopes[:_MAX_SCOPES] if isinstance(each, str) and _is_scope(each))


def _is_scope(text: str) -> bool:
    """Return whether a text has only the characters of RFC 6749, so that it adds no other."""
    return 0 < len(text) <= _MAX_SCOPE_CHARS and all(
        "!" <= each <= "~" and each not in '"\\' for each in text
    )
