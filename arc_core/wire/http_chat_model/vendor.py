"""What a plugin tells of its vendor, once, and how it is connected to it."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import httpx2

from arc_core.components.text_lists import check_list
from arc_core.wire.http_chat_model.clients import HttpClient
from arc_core.wire.http_chat_model.errors import VendorErrors

__all__ = ["ClientOptions", "Connection", "Vendor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """What does not change while a vendor is asked.

    Attributes:
        title: Its name for people.
        path: What requests are posted to, behind the base URL.
        default_model: What is asked for if neither request nor settings name a model.
        key_variable: The environment variable with the key.
        key_remedy: What else can be done if there is no key, behind "set … to a key".
        errors: How it fails.
        refusals: The exceptions after which a request may be sent once more in another dialect.
        options: What `llm.options` may hold, by the names that users write.
        own_fields: What Arc writes into bodies, now or then; `llm.extra_body` cannot hold them.
    """

    title: str
    path: str
    default_model: str
    key_variable: str
    key_remedy: str = ""
    errors: VendorErrors
    refusals: tuple[type[Exception], ...] = ()
    options: AbstractSet[str] = frozenset()
    own_fields: AbstractSet[str] = frozenset({"messages", "model", "stream"})

    def __post_init__(self) -> None:
        for name in ("options", "own_fields"):
            check_list(getattr(self, name), what=f"`{name}` of {self.title}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """What a client is to be made with; retries and tracing of its own are to be off.

    Attributes:
        key: From `llm.api_key`, else from the environment; empty if there is none.
        base_url: From the settings; None is the vendor's own.
        timeout: For connecting, and for silence.
        max_reply_bytes: For the guarded client, as is `setting`.
        setting: Where the address is set.
    """

    key: str
    base_url: str | None
    timeout: httpx2.Timeout
    max_reply_bytes: int
    setting: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An open client.

    Attributes:
        client: Sends the requests.
        secret: What must not be printed; None if there are no credentials.
        is_authorized: It has credentials, or the server may need none.
        headers: Of every request, beside those of the client; a value may be what the client takes
            for a header that is left out.
    """

    client: HttpClient
    secret: str | None
    is_authorized: bool
    headers: Mapping[str, Any] = field(default_factory=dict)
