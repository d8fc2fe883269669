"""What an address of a vendor must not hold, and what is said of one that cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from arc_core.errors import ConfigurationError
from arc_core.text.addresses import AddressParts, origin_of

__all__ = ["check_base_url", "explain_unreadable_address"]


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
