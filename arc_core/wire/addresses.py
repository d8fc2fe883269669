"""Addresses as they may be told: without what could be a credential."""

from typing import Protocol

__all__ = ["Address", "origin_of"]


class Address(Protocol):
    """A URL in its parts; `httpx2.URL` is one."""

    @property
    def scheme(self) -> str:
        """In small letters."""
        ...

    @property
    def host(self) -> str:
        """Without brackets."""
        ...

    @property
    def port(self) -> int | None:
        """None for the scheme's own."""
        ...


def origin_of(address: Address) -> str:
    """Scheme, host and port; user information, path and query may hold tokens."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    port = "" if address.port is None else f":{address.port}"
    return f"{address.scheme}://{host}{port}"
