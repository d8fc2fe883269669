"""The facts of a vendor that its plugin declares once, and the connection to it."""

from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2

from arc_core.components.text_lists import check_list
from arc_core.interfaces.models.host import HostedModels
from arc_core.wire.guarded_client import GuardedClient
from arc_core.wire.model_errors import VendorErrors

_REFUSALS = frozenset({400, 422})


class HttpClient(Protocol):
    """A client as the vendors' SDKs have it; it sorts out statuses and knows credentials.

    Attributes:
        base_url: What paths are added to.
        post: Sends bytes, as `PlainClient.post` does.
    """

    @property
    def base_url(self) -> httpx2.URL: ...  # noqa: D102

    @property
    def post(self) -> Callable[..., Awaitable[Any]]: ...  # noqa: D102

    async def close(self) -> None:
        """Close all connections."""


class RefusedRequestError(httpx2.HTTPStatusError):
    """The server refuses the request itself (400, 422), and may take another one."""


class PlainClient:
    """A client for a vendor without an SDK, on a guarded one.

    Args:
        http: Has the vendor's base URL, and the headers with the credentials.
    """

    def __init__(self, http: GuardedClient) -> None:
        self._http = http

    @property
    def base_url(self) -> httpx2.URL:
        """The address to which paths are added."""
        return self._http.base_url

    async def post(
        self,
        path: str,
        *,
        content: bytes,
        cast_to: type[httpx2.Response] = httpx2.Response,
        options: Mapping[str, Mapping[str, str]],
        stream: bool,
    ) -> httpx2.Response:
        """The response of a success; its body is read unless it is streamed.

        Args:
            path: Added to the base URL.
            content: The body.
            cast_to: What SDKs are told to return; a plain client returns nothing else.
            options: Of the request: its `headers`.
            stream: Whether the body is left to be read.

        Raises:
            httpx2.HTTPStatusError: The server refused, a `RefusedRequestError` if it is about the
                request; the body of the refusal is read.
            httpx2.TransportError: The server was not reached, or said nothing usable.
        """
        headers = options["headers"]
        request = self._http.build_request("POST", path, content=content, headers=headers)
        response = await self._http.send(request, stream=stream)
        if not response.is_success:
            try:
                await response.aread()
            finally:
                await response.aclose()
            # Not `raise_for_status`, whose text has the address, which may hold a token.
            status = response.status_code
            error = RefusedRequestError if status in _REFUSALS else httpx2.HTTPStatusError
            raise error(f"Error code: {status}", request=response.request, response=response)
        return response

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """The facts of a vendor that never change.

    Attributes:
        title: Its name for people.
        path: What requests are posted to, behind the base URL, unless `request_path` is overridden.
        default_model: What is asked for if neither request nor settings name a model.
        key_variable: The environment variable with the key.
        key_remedy: What else can be done if there is no key, behind "set … to a key".
        host: The host that is asked if the settings name no address.
        errors: How it fails.
        refusals: The exceptions after which a request may be sent once more in another dialect.
        options: What `llm.options` may hold, by the names that users write.
        own_fields: What Arc writes into bodies, now or then; `llm.extra_body` cannot hold them.
        api: The name by which hosts know what is spoken, see `Host.open`.
    """

    title: str
    path: str
    default_model: str
    key_variable: str
    key_remedy: str = ""
    host: str = ""
    errors: VendorErrors
    refusals: tuple[type[Exception], ...] = ()
    options: AbstractSet[str] = frozenset()
    own_fields: AbstractSet[str] = frozenset({"messages", "model", "stream"})
    api: str = ""

    def __post_init__(self) -> None:
        for name in ("options", "own_fields"):
            check_list(getattr(self, name), what=f"`{name}` of {self.title}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """The options of a new client; retries and tracing of its own are to be off.

    Attributes:
        key: From `llm.api_key`, else from the environment; empty if there is none.
        base_url: From the settings; None is the vendor's own.
        timeout: For connecting, and for silence.
        max_reply_bytes: For the guarded client, as is `setting`.
        setting: Where the address is set.
        is_hosted: A host authenticates the requests; the client must not.
    """

    key: str
    base_url: str | None
    timeout: httpx2.Timeout
    max_reply_bytes: int
    setting: str
    is_hosted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An open client.

    Attributes:
        client: Sends the requests.
        secret: What must not be printed; None if there are no credentials.
        is_authorized: It has credentials, or the server may need none.
        headers: Of every request, beside those of the client; a value may be what the client takes
            for a header that is left out.
        hosted: The models at the host that is asked; None if it is the vendor.
    """

    client: HttpClient
    secret: str | None
    is_authorized: bool
    headers: Mapping[str, Any] = field(default_factory=dict)
    hosted: HostedModels | None = None
