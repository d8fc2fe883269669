"""Addresses of servers, and how they are shown: without what is secret in them."""

import re
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["ADDRESS_MASK", "Address", "AddressText", "mask_addresses", "origin_of_address"]

ADDRESS_MASK = "**********"
"""Stands for the credentials and the query of an address."""

_ADDRESS = re.compile(r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)(\S+)")


class Address(str):
    """The address of a server: a string that shows no credentials.

    `repr` and `model_dump` mask them; as a string it is whole, for the library that connects.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(mask_addresses(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        del source
        return core_schema.no_info_after_validator_function(
            cls,
            handler(str),
            serialization=core_schema.plain_serializer_function_ser_schema(
                mask_addresses, return_schema=core_schema.str_schema()
            ),
        )


AddressText = Annotated[str, Address]
"""The type of a setting that is an address: it takes a string, and holds an `Address`."""


def mask_addresses(text: str) -> str:
    """A text in which no address shows its credentials, its query or its fragment.

    A password may hold `@`, `/`, `#` and `?` although it should not, so everything before the last
    `@` of an address counts as credentials: a path that holds an `@` is masked, too.
    """
    return _ADDRESS.sub(lambda found: f"{found[1]}{_without_secrets(found[2])}", text)


def origin_of_address(text: str) -> str | None:
    """Scheme, host and port of an address, all that is safe to show; None for another text."""
    found = _ADDRESS.match(text.strip())
    if found is None:
        return None
    host = re.split(r"[/?#]", found[2].rpartition("@")[2], maxsplit=1)[0]
    return f"{found[1]}{host}"


def _without_secrets(rest: str) -> str:
    credentials, at, place = rest.rpartition("@")
    shown = f"{ADDRESS_MASK}@{place}" if at and credentials else rest
    end = re.search(r"[?#]", shown)
    return shown if end is None else f"{shown[: end.end()]}{ADDRESS_MASK}"
