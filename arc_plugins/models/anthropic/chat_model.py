"""Anthropic's models, through the Messages API.

Pick it for Claude; with `llm.base_url` it asks any server that speaks the same API.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import anthropic
from typing_extensions import override

from arc_core import ChatRequest, ChatResponse, Host
from arc_core.settings import LlmSettings
from arc_core.wire import StreamDecoder
from arc_core.wire.attachments import AcceptsImagesAndPdf
from arc_core.wire.guarded_client import GuardedAioHttpClient
from arc_core.wire.http_chat_model import ClientOptions, Connection, HttpChatModel, Vendor
from arc_plugins.models.anthropic.decode import PausedResponse, decode_message, join_messages
from arc_plugins.models.anthropic.encode import MessagesDialect, MessagesRequestEncoder
from arc_plugins.models.anthropic.errors import ERRORS
from arc_plugins.models.anthropic.stream_events import MAX_PAUSES, MessageEventDecoder

_NO_KEY = "none"  # so that the SDK looks for none
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
        host="api.anthropic.com",
        errors=ERRORS,
        refusals=(anthropic.BadRequestError,),
        options=_OPTION_FIELDS.keys(),
        own_fields=_OWN_FIELDS,
    )

    def __init__(
        self,
        *,
        settings: LlmSettings,
        read_timeout_s: float | None = None,
        hosts: Sequence[Host] = (),
    ) -> None:
        super().__init__(settings=settings, read_timeout_s=read_timeout_s, hosts=hosts)
        self._encoder = MessagesRequestEncoder(
            marks_cache=settings.prompt_caching,
            calls_in_parallel=settings.options.get("parallel_tool_calls") is not False,
            tool_search=settings.options.get("tool_search"),
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

    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer."""
        return decode_message(body)

    def stream_decoder(self) -> MessageEventDecoder:
        """A new one, for one answer."""
        return MessageEventDecoder()

    def connect(self, options: ClientOptions) -> Connection:
        """The SDK's client, with its own retries and tracing off."""
        base_url = options.base_url
        client = _Client(
            api_key=_NO_KEY if options.is_hosted else options.key or None,
            base_url=None if base_url is None else base_url.rstrip("/").removesuffix("/v1"),
            max_retries=0,
            timeout=options.timeout,
            http_client=_HttpClient(
                base_url=base_url or "",
                max_reply_bytes=options.max_reply_bytes,
                setting=options.setting,
            ),
            open_telemetry=False,
        )
        if options.is_hosted:
            headers = {name: anthropic.Omit() for name in ("X-Api-Key", "Authorization")}
            return Connection(client=client, secret=None, is_authorized=True, headers=headers)
        secret = client.api_key or client.auth_token
        has_secret = any(map(str.strip, (client.api_key or "", client.auth_token or "")))
        is_authorized = has_secret or client.credentials is not None
        return Connection(client=client, secret=secret, is_authorized=is_authorized)

    def dialect_of(self, host: str) -> MessagesDialect:
        """That of the newest models."""
        del host
        return MessagesDialect()

    def dialect_after(self, dialect: MessagesDialect, refusal: Exception) -> MessagesDialect | None:
        """With a budget to think, or without the schema: either may be what was refused."""
        del refusal
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
        del request
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


class _Client(anthropic.AsyncAnthropic):
    """The SDK's, which tells the vendor nothing of the machine, and saves what that costs."""

    @override
    def platform_headers(self) -> dict[str, str]:
        return {}


class _HttpClient(GuardedAioHttpClient, anthropic.DefaultAioHttpClient):
    """The SDK's, on aiohttp, guarded."""
