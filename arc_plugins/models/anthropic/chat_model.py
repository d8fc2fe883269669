"""Anthropic's models, through the Messages API.

Pick it for Claude; with `llm.base_url` it asks any server that speaks the same API.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import Any

from typing_extensions import override

from arc_core import ChatRequest, ChatResponse
from arc_core.wire import StreamDecoder
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.attachments import AcceptsImagesAndPdf
from arc_core.wire.host_credentials import read_variable
from arc_core.wire.http_chat_model import (
    ClientOptions,
    Connection,
    HttpChatModel,
    PlainClient,
    RefusedRequestError,
    Vendor,
)
from arc_plugins.models.anthropic.decode import PausedResponse, decode_message, join_messages
from arc_plugins.models.anthropic.encode import MessagesDialect, MessagesRequestEncoder
from arc_plugins.models.anthropic.errors import ERRORS
from arc_plugins.models.anthropic.stream_events import MAX_PAUSES, MessageEventDecoder

_HOST = "api.anthropic.com"
_ADDRESS = f"https://{_HOST}"
_VERSION = "2026-10-21"  # of the API
_OPTION_FIELDS = {
    "inference_geo": "inference_geo",
    "metadata": "metadata",
    "parallel_tool_calls": "tool_choice",
    "service_tier": "service_tier",
    "stop": "stop_sequences",
    "tool_search": "tools",
    "top_k": "top_k",
    "top_p": "top_p",
}
_OWN_FIELDS = frozenset({
    "max_tokens", "messages", "model", "output_config", "stream", "system", "temperature",
    "thinking", "tool_choice", "tools",
})  # fmt: skip


class AnthropicChatModel(AcceptsImagesAndPdf, HttpChatModel[MessagesDialect]):
    """Asks Claude.

    Settings: `llm.model`, `llm.base_url`, `llm.max_output_tokens`, since the API demands a bound of
    its answers; the key comes from `llm.api_key`, else from `ANTHROPIC_API_KEY`, or credentials
    from wherever else the SDK finds them. A model that refuses adaptive thinking is given
    a budget, and one that refuses a schema is asked without one, from then on.
    """

    vendor = Vendor(
        title="Anthropic",
        api="messages",
        path="/v1/messages",
        default_model="claude-haiku-5-5",
        key_variable="ANTHROPIC_API_KEY",
        host=_HOST,
        errors=ERRORS,
        refusals=(RefusedRequestError,),
        options=_OPTION_FIELDS.keys(),
        own_fields=_OWN_FIELDS,
    )

    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer."""
        return decode_message(body)

    def stream_decoder(self) -> MessageEventDecoder:
        """A new one, for one answer."""
        return MessageEventDecoder()

    @cached_property
    def _encoder(self) -> MessagesRequestEncoder:
        return MessagesRequestEncoder(
            marks_cache=self.settings.prompt_caching,
            calls_in_parallel=self.settings.options.get("parallel_tool_calls") is not False,
            tool_search=self.settings.options.get("tool_search"),
        )

    @override
    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The whole answer; a turn that the vendor pauses is sent back until it ends."""
        answer = await super().complete(request)
        for _ in range(MAX_PAUSES):
            if not isinstance(answer, PausedResponse):
                break
            messages = (*request.messages, answer.message)
            rest = await super().complete(replace(request, messages=messages))
            answer = _join(answer, rest)
        return answer

    @override
    def continuation_of(self, request: ChatRequest, decoder: StreamDecoder) -> ChatRequest | None:
        """With the paused turn behind the other messages."""
        said = decoder.resume() if isinstance(decoder, MessageEventDecoder) else None
        return None if said is None else replace(request, messages=(*request.messages, said))

    @override
    def accepts_address(self, media_type: str) -> bool:
        """Of images and PDF, where the host fetches them."""
        hosted = None if self._connection is None else self._connection.hosted
        is_fetched = hosted is None or hosted.fetches_addresses
        return is_fetched and super().accepts_address(media_type)

    def connect(self, options: ClientOptions) -> Connection:
        """A client that sends the key, a token, or what the SDK finds; at a host, none of them."""
        address, secret, found = options.base_url or os.environ.get("ANTHROPIC_BASE_URL"), "", None
        if not options.is_hosted:
            secret = options.key or read_variable("ANTHROPIC_AUTH_TOKEN")
            found = None if secret else _find_credentials(address or _ADDRESS)
        own = {"Authorization": f"Bearer {secret}"} if secret else {}
        if found is not None:
            address, own = address or found.base_url, found.headers
        http = AioHttpClient(
            base_url=(address or _ADDRESS).rstrip("/").removesuffix("/v1"),
            headers={"anthropic-version": _VERSION, **own, **_read_headers()},
            auth=found,
            timeout=options.timeout,
            max_reply_bytes=options.max_reply_bytes,
            setting=options.setting,
        )
        is_authorized = options.is_hosted or bool(secret) or found is not None
        client = PlainClient(http) if found is None else found.make_client(http)
        return Connection(client=client, secret=secret or None, is_authorized=is_authorized)

    def dialect_of(self, host: str) -> MessagesDialect:
        """That of the newest models."""
        return MessagesDialect()

    def dialect_after(self, dialect: MessagesDialect, refusal: Exception) -> MessagesDialect | None:
        """With a budget to think, or without the schema: either may be what was refused."""
        return dialect.next()

    def encode(
        self, request: ChatRequest, *, model: str, dialect: MessagesDialect, stream: bool
    ) -> bytes:
        """The body of a Messages request."""
        return self._encoder.encode(
            request,
            model=model,
            max_tokens=request.max_output_tokens or self.settings.max_output_tokens,
            dialect=dialect,
            stream=stream,
        )

    def option_fields(self, options: Mapping[str, Any], request: ChatRequest) -> Mapping[str, Any]:
        """Under the vendor's names; tools and the choice among them are encoded with the tools."""
        fields = {_OPTION_FIELDS[name]: value for name, value in options.items()}
        stop = fields.get("stop_sequences")
        if isinstance(stop, str):
            fields["stop_sequences"] = [stop]
        return {name: value for name, value in fields.items() if name not in _OWN_FIELDS}


def _join(first: ChatResponse, second: ChatResponse) -> ChatResponse:
    usage = first.usage if second.usage is None else second.usage
    if first.usage is not None and second.usage is not None:
        usage = first.usage + second.usage
    return replace(second, message=join_messages(first.message, second.message), usage=usage)


def _find_credentials(address: str) -> Any:
    return import_module("arc_plugins.models.anthropic.credentials").find_credentials(address)


def _read_headers() -> dict[str, str]:
    """Headers of the user, a line each, as the SDK reads them."""
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
    pairs = [line.partition(":") for line in lines if ":" in line]
    return {name.strip(): value.strip() for name, _, value in pairs}
