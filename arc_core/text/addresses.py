"""Addresses of servers, and how they are shown: without what is secret in them."""

import re
from collections.abc import Collection
from functools import partial
from typing import Annotated, Any, Protocol
from urllib.parse import urlsplit

from pydantic import AfterValidator, GetCoreSchemaHandler, SecretStr
from pydantic_core import CoreSchema, core_schema

ADDRESS_MASK = "**********"
"""Stands for the credentials and the query of an address."""

_NO_HTTP_ADDRESS = (
    "is not an address: write it as https://host:port/path, "
    "special characters of a user and a password as %XX"
)
_ADDRESS = re.compile(r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)(\S+)")
_END_OF_HOST = re.compile(r"[/?#\\]")


class Address(str):
    """The address of a server: a string that shows no credentials.

    `repr` and `model_dump` mask them; as a string it is whole, for the library that connects.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(mask_addresses(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda text: cls(check_http_address(text)),
            handler(str),
            serialization=core_schema.plain_serializer_function_ser_schema(
                mask_addresses, return_schema=core_schema.str_schema()
            ),
        )


AddressText = Annotated[str, Address]
"""The type of a setting that is an address: it takes a string, and holds an `Address`."""


class AddressParts(Protocol):
    """A URL that a library has parsed; `httpx2.URL` is one."""

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

    @property
    def userinfo(self) -> bytes:
        """User and password; empty if there is neither."""
        ...


def check_database_address(*schemes: str) -> AfterValidator:
    """Return a validator of settings that refuses what is not the address of a database.

    It comes before a driver, which would repeat a password that it cannot read.

    Args:
        schemes: Those before the `://` of which a driver is known.
    """
    return AfterValidator(partial(_check_database_address, schemes=schemes))


def _check_database_address(
    value: SecretStr | None, *, schemes: Collection[str]
) -> SecretStr | None:
    if value is not None:
        scheme, separator, place = value.get_secret_value().partition("://")
        if scheme not in schemes or not separator or not place.strip("/"):
            file = "sqlite:///file.db or " if "sqlite" in schemes else ""
            raise ValueError(
                f"is not a database: write it as {file}postgresql://user:password@host/database"
            )
    return value


def check_http_address(text: str) -> str:
    """The text, if it is an address that HTTP libraries can read.

    They repeat in their errors what they cannot read, which may be a password that holds a `/` or
    stands in the place of the port. So it is checked before they see it.

    Raises:
        ValueError: It is not one; the text is not repeated.
    """
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        is_address = is_address and (parts.port is None or parts.port > 0)
    except ValueError:
        is_address = False
    if not is_address or any(each.isspace() or not each.isprintable() for each in text):
        raise ValueError(_NO_HTTP_ADDRESS)
    return text


def mask_addresses(text: str) -> str:
    """A text in which no address shows its credentials, its query or its fragment.

    A password may hold `@`, `/`, `#` and `?` although it should not, so everything before the last
    `@` of an address counts as credentials: a path that holds an `@` is masked, too.
    """
    return _ADDRESS.sub(lambda found: f"{found[1]}{_without_secrets(found[2])}", text)


def cut_addresses(text: str) -> str:
    """A text in which addresses show scheme, host and port alone, since paths may hold tokens, too.

    If credentials cannot be told from the host, not even that is shown.
    """
    return _ADDRESS.sub(_cut, text) if "://" in text else text


def origin_of(address: AddressParts) -> str:
    """Scheme, host and port of an address that a library has parsed."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    port = "" if address.port is None else f":{address.port}"
    return f"{address.scheme}://{host}{port}"


def origin_of_address(text: str) -> str | None:
    """Scheme, host and port of an address, all that is safe to show; None for another text.

    What stands before an `@` behind the host may be a password, or the host that is really asked:
    then the mask stands for the host.
    """
    found = _ADDRESS.match(text.strip())
    return None if found is None else f"{found[1]}{_host_in(found[2]) or ADDRESS_MASK}"


def _cut(found: re.Match[str]) -> str:
    scheme, rest = found.groups()
    host = _host_in(rest)
    if host is None:
        return f"{scheme}{ADDRESS_MASK}"
    return f"{scheme}{host}" if rest == host else f"{scheme}{host}/{ADDRESS_MASK}"


def _host_in(rest: str) -> str | None:
    """Host and port of what follows the scheme; None if that is not certain."""
    authority = _END_OF_HOST.split(rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    port = host.rpartition("]")[2].partition(":")[2]  # or a password, if the `@` was forgotten
    return None if "@" in rest[len(authority) :] or not (port or "0").isdigit() else host


def _without_secrets(rest: str) -> str:
    credentials, at, place = rest.rpartition("@")
    shown = f"{ADDRESS_MASK}@{place}" if at and credentials else rest
    end = re.search(r"[?#]", shown)
    return shown if end is None else f"{shown[: end.end()]}{ADDRESS_MASK}"
