"""What an address of a vendor must not hold."""

from arc_core.addresses import AddressParts, origin_of
from arc_core.errors import ConfigurationError

__all__ = ["check_base_url"]


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
