"""A chat model whose vendor is asked over HTTP, through an SDK's client or a plain one.

A vendor's plugin inherits from it and brings what is its own: how a client is made, `encode`,
`decode`, a decoder of its stream, and its table of errors. The client makes connections, knows
credentials and proxies, and sorts out statuses; requests travel as bytes that the plugin encodes,
because the SDKs' objects cost several times what the transport does.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

import httpx2

from arc_core.errors import ArcError, ConfigurationError, InvalidResponseError, ModelError
from arc_core.health_checks import check_chat_model
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.interfaces.models.host import FrameDecoder, Host, HostedModels, HostedRequest
from arc_core.interfaces.optional import Health
from arc_core.settings import LlmSettings
from arc_core.wire.guarded_client import check_base_url, explain_unreadable_address
from arc_core.wire.host_credentials import find_key
from arc_core.wire.http_chat_model.content_origin import (
    find_servers,
    leave_out_foreign,
    mark_content,
    name_server,
)
from arc_core.wire.http_chat_model.hosting import (
    add_fields,
    explain_error,
    find_request_id,
    fit_body,
    logger,
    open_host,
    read_failure,
)
from arc_core.wire.http_chat_model.vendor import ClientOptions, Connection, Vendor
from arc_core.wire.model_stream import StreamDecoder, model_stream
from arc_core.wire.payloads import SentMessages


def check_body_fields(vendor: Vendor, llm: LlmSettings) -> None:
    """See that options are known, and that no field would be written twice."""
    unknown = sorted(llm.options.keys() - vendor.options)
    if unknown:
        raise ConfigurationError(
            f"llm.options has {_join(unknown)}, which {vendor.title} is not known to take",
            remedy=f"use some of {_join(sorted(vendor.options))}, or put the field into "
            "llm.extra_body, which is sent as it is",
        )
    doubled = sorted(llm.extra_body.keys() & (vendor.own_fields | llm.options.keys()))
    if doubled:
        raise ConfigurationError(
            f"llm.extra_body has {_join(doubled)}, which Arc writes itself",
            remedy="take it out, and use the setting for it; for "
            f"{vendor.title} Arc writes {_join(sorted(vendor.own_fields | llm.options.keys()))}",
        )


def _join(names: Collection[str]) -> str:
    return ", ".join(names) or "nothing"


_SETTING = "llm.base_url"
_CONNECT_TIMEOUT_S = 5
_MAX_FIELDS = 30_000
"""Of one reply, as about 5 000 tool calls have; reading them takes a tenth of a second."""
_HEADERS = {"content-type": "application/json"}
_NOTHING: Mapping[str, str] = {}

DialectT = TypeVar("DialectT")
"""The dialect of a model, as its vendor's plugin describes it; None if all have the same."""


class HttpChatModel(ChatModel, Generic[DialectT]):
    """Posts requests and reads the responses, within bounds, whole or as a stream.

    What a model turns out not to take is left out from then on: see `dialect_after`.

    Args:
        settings: Which server and model.
        read_timeout_s: Seconds of silence after which a server is given up; None is
            `llm.timeout_s`.
        hosts: Of which `llm.host` may name one; a vendor that takes none has no such parameter.

    Attributes:
        vendor: Of the class.
        settings: As they were given.
        provider_name: The vendor's, as metrics and spans have it.
    """

    vendor: ClassVar[Vendor]

    def __init__(
        self,
        *,
        settings: LlmSettings,
        read_timeout_s: float | None = None,
        hosts: Sequence[Host] = (),
    ) -> None:
        self.settings = settings
        self._hosts = hosts
        self._secret: str | None = None
        self._takes_kin = True
        self.provider_name = self.vendor.errors.vendor
        self._read_timeout_s = settings.timeout_s if read_timeout_s is None else read_timeout_s
        self._connection: Connection | None = None
        self._dialects: dict[str, DialectT] = {}
        self._servers: SentMessages[frozenset[str]] = SentMessages()

    @property
    def default_model(self) -> str:
        """The model that is asked for if a request names none."""
        return self.settings.model or self.vendor.default_model

    @abstractmethod
    def connect(self, options: ClientOptions) -> Connection:
        """A new client; nothing is sent yet."""

    @abstractmethod
    def dialect_of(self, host: str) -> DialectT:
        """The first dialect for a model at a host, before it has refused anything."""

    def request_path(self, model: str, *, stream: bool) -> str:
        """The path of a request behind the base URL; override it if it names the model."""
        return self.vendor.path

    @abstractmethod
    def encode(self, request: ChatRequest, *, model: str, dialect: DialectT, stream: bool) -> bytes:
        """The body of a request."""

    @abstractmethod
    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer.

        Raises:
            ModelError: The vendor gave up.
            PayloadError: The body is an error in spite of its status.
            Exception: It is not an answer.
        """

    @abstractmethod
    def stream_decoder(self) -> StreamDecoder:
        """A new one, for one answer."""

    def option_fields(self, options: Mapping[str, Any], request: ChatRequest) -> Mapping[str, Any]:
        """The user's options as fields of a body; override it if the vendor names them otherwise.

        Args:
            options: Some of `vendor.options`, at least one.
            request: Some vendors take an option only together with tools.
        """
        return options

    def dialect_after(self, dialect: DialectT, refusal: Exception) -> DialectT | None:
        """The dialect to try once more with; None if there is nothing to change.

        Args:
            dialect: That of the request.
            refusal: One of the vendor's `refusals`.
        """
        return None

    def lasting_dialect(self, dialect: DialectT) -> DialectT:
        """The part that holds for later requests; override it if some is about one alone.

        Args:
            dialect: That of a request that succeeded.
        """
        return dialect

    def continuation_of(self, request: ChatRequest, decoder: StreamDecoder) -> ChatRequest | None:
        """The request for the rest of a streamed answer; None if the answer is whole.

        Override it if the vendor pauses its answers; the same decoder reads the rest.

        Args:
            request: That of the answer.
            decoder: Has read what there is of it.
        """
        return None

    async def start(self) -> None:
        """Make the client, for this event loop.

        Raises:
            ConfigurationError: There are no credentials, the address holds a password, or the
                settings ask for fields that cannot be sent.
        """
        self._connection = self._connect()

    async def aclose(self) -> None:
        """Close all connections; may be started again, on another event loop too."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.client.close()

    async def check_health(self) -> Health:
        """Ask for a word."""
        return await check_chat_model(self, name=self.provider_name, model=self.settings.model)

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The whole answer.

        Raises:
            ModelError: The server could not or would not answer.
        """
        try:
            response = await self._post(request, stream=False)
            _check_fields(response.content)
            answer = self.decode(response.content)
            if answer.message.vendor_content is None:
                return answer
            content = self._mark(request, answer.message.vendor_content)
            return replace(answer, message=replace(answer.message, vendor_content=content))
        except ArcError:
            raise
        except Exception as error:  # whatever a server's bytes do to us is the server's failure
            raise self._translate(error) from error

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        """The answer in pieces, as they come.

        Raises:
            ModelError: As `complete`, at any piece.
        """
        decoder = self.stream_decoder()
        return model_stream(
            connect=partial(self._post, request, stream=True),
            decoder=decoder,
            mark=partial(self._mark, request),
            resume=partial(self._resume, request, decoder),
            translate=self._translate,
            open_frames=self._open_frames,
        )

    def encode_request(self, request: ChatRequest) -> bytes:
        """The body of a request, before the server has refused anything; nothing is sent."""
        address = self.settings.base_url
        host = self.vendor.host if address is None else httpx2.URL(address).host
        model = request.model or self.default_model
        return self._encode(request, model=model, dialect=self.dialect_of(host), stream=True)

    async def _resume(self, request: ChatRequest, decoder: StreamDecoder) -> httpx2.Response | None:
        rest = self.continuation_of(request, decoder)
        return None if rest is None else await self._post(rest, stream=True)

    async def _post(self, request: ChatRequest, *, stream: bool) -> httpx2.Response:
        """Send a request, once more for each thing that the model turns out not to take.

        It is kept in mind only once a request without it has succeeded: the fault may have been
        another.
        """
        connection = self._connection = self._connection or self._connect()
        model = request.model or self.default_model
        readable, place = self._list_readable(connection, request), 0
        known = self._dialects.get(model)
        dialect = self.dialect_of(connection.client.base_url.host) if known is None else known
        body = self._encode(readable[0], model=model, dialect=dialect, stream=stream)
        refused = []
        while True:
            try:
                response = await self._send(connection, body, model=model, stream=stream)
            except self.vendor.refusals as refusal:
                refused.append(body)
                while body in refused:
                    place += 1
                    if place == len(readable):
                        changed = self.dialect_after(dialect, refusal)
                        if changed is None:
                            raise
                        dialect, place = changed, 0
                    body = self._encode(
                        readable[place], model=model, dialect=dialect, stream=stream
                    )
            else:
                assert isinstance(response, httpx2.Response)  # what cast_to asks for
                self._dialects[model] = self.lasting_dialect(dialect)
                if place:
                    self._leave_out_kin()
                return response

    def _list_readable(
        self, connection: Connection, request: ChatRequest
    ) -> tuple[ChatRequest, ...]:
        """A request as its server may read it, and if it is refused, as it surely can.

        The first has what the vendor's models have sent from another host, too.
        """
        servers, _ = self._servers.get(request.messages, find_servers)
        server = self._name_server(request) if servers else ""
        if not servers - {server}:
            return (request,)
        own = leave_out_foreign(request.messages, server)
        family = self._family(connection) if self._takes_kin else None
        kept = leave_out_foreign(request.messages, server, family)
        found = (own,) if kept == own else (kept, own)
        return tuple(replace(request, messages=each) for each in found)

    def _leave_out_kin(self) -> None:
        self._takes_kin = False
        logger.info(
            "what the vendor has signed at another host is left out from now on: it was refused",
            vendor=self.provider_name,
            host=self.settings.host,
        )

    def _encode(
        self, request: ChatRequest, *, model: str, dialect: DialectT, stream: bool
    ) -> bytes:
        body = self.encode(request, model=model, dialect=dialect, stream=stream)
        options, extra = self.settings.options, self.settings.extra_body
        hosted = None if self._connection is None else self._connection.hosted
        if hosted is not None:
            body = fit_body(body, hosted, model=model, extra=extra)
        if options:
            body = add_fields(body, self.option_fields(options, request))
        return add_fields(body, extra)

    def _mark(self, request: ChatRequest, content: Any) -> Any:
        connection = self._connection
        family = None if connection is None else self._family(connection)
        return mark_content(content, self._name_server(request), family)

    def _family(self, connection: Connection) -> str | None:
        """The vendor, if it is the vendor's own model that answers, here or at a host."""
        is_own = connection.client.base_url.host == self.vendor.host
        return self.provider_name if connection.hosted is not None or is_own else None

    def _name_server(self, request: ChatRequest) -> str:
        connection = self._connection = self._connection or self._connect()
        return name_server(connection.client.base_url, request.model or self.default_model)

    def _send(
        self, connection: Connection, body: bytes, *, model: str, stream: bool
    ) -> Awaitable[httpx2.Response]:
        path = self.request_path(model, stream=stream)
        if connection.hosted is None:
            return _post_bytes(connection, path, body, stream=stream)
        return self._send_to_host(
            connection,
            connection.hosted,
            HostedRequest(path=path, model=model, is_streamed=stream, body=body),
        )

    async def _send_to_host(
        self, connection: Connection, hosted: HostedModels, request: HostedRequest
    ) -> httpx2.Response:
        """The response of a host, which is asked once more if it refuses the credentials."""
        while True:
            addressed = await hosted.address(request)
            self._secret = addressed.secret
            try:
                response = await _post_bytes(
                    connection,
                    addressed.url,
                    request.body,
                    headers=addressed.headers,
                    stream=request.is_streamed,
                )
            except self.vendor.errors.status_error as error:
                failure = read_failure(error)
                is_refused = failure is not None and hosted.explain(failure).is_credential
                if not is_refused or request.refused is not None:
                    raise
                request = replace(request, refused=addressed)
            else:
                request_id = find_request_id(hosted, response.headers)
                logger.debug("host_answered", host=self.settings.host, request_id=request_id)
                return response

    def _open_frames(self, content_type: str) -> FrameDecoder | None:
        hosted = None if self._connection is None else self._connection.hosted
        return None if hosted is None else hosted.open_frames(content_type)

    def _connect(self) -> Connection:
        vendor = self.vendor
        check_body_fields(vendor, self.settings)
        hosted = open_host(self._hosts, vendor.api, self.settings)
        options = ClientOptions(
            key="" if hosted else find_key(self.settings.api_key, vendor.key_variable),
            base_url=self.settings.base_url if hosted is None else hosted.base_url,
            is_hosted=hosted is not None,
            timeout=httpx2.Timeout(self._read_timeout_s, connect=_CONNECT_TIMEOUT_S),
            max_reply_bytes=self.settings.max_reply_bytes,
            setting=_SETTING,
        )
        with explain_unreadable_address(_SETTING):
            connection = self.connect(options)
        check_base_url(
            connection.client.base_url, setting=_SETTING, key_variable=vendor.key_variable
        )
        if hosted is not None:
            return replace(connection, hosted=hosted, secret=None)
        if not connection.is_authorized:
            raise ConfigurationError(
                f"{vendor.title} is the chat model and neither {vendor.key_variable} nor "
                "llm.api_key is set",
                remedy=f"set {vendor.key_variable} or llm.api_key to a key of your account"
                f"{vendor.key_remedy}",
            )
        return connection

    def _translate(self, error: Exception) -> ModelError:
        connection = self._connection
        hosted = None if connection is None else connection.hosted
        secret = None if connection is None else connection.secret
        is_derived = hosted is not None and self.settings.base_url is None
        translated = self.vendor.errors.translate(
            error, secret=secret or self._secret, address="region" if is_derived else "base_url"
        )
        return translated if hosted is None else explain_error(hosted, error, translated)


def _post_bytes(
    connection: Connection,
    address: str,
    body: bytes,
    *,
    headers: Mapping[str, str] = _NOTHING,
    stream: bool,
) -> Awaitable[httpx2.Response]:
    """The response of a success; its body is read unless it is streamed."""
    return connection.client.post(
        address,
        content=body,
        cast_to=httpx2.Response,
        options={"headers": {**_HEADERS, **connection.headers, **headers}},
        stream=stream,
    )


def _check_fields(body: bytes) -> None:
    """Refuse a reply that would hold the event loop while it is read."""
    fields = body.count(b'":') - body.count(b'\\":')  # in a text, those of JSON are escaped
    if fields > _MAX_FIELDS:
        raise InvalidResponseError(f"the reply has more than {_MAX_FIELDS} fields")
