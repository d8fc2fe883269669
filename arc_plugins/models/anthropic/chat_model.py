"""Anthropic's models, through the Messages API.

Pick it for Claude; with `llm.base_url` it asks any server that speaks the same API. The SDK's
client makes connections, knows credentials and proxies, and sorts out statuses; requests are
encoded and responses decoded here, because the SDK's objects cost several times what the transport
does.
"""

import os
from collections.abc import AsyncGenerator

import anthropic
import httpx2

from arc_core import (
    ArcError,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ConfigurationError,
)
from arc_core.settings import LlmSettings
from arc_core.wire import check_base_url, model_stream
from arc_core.wire.guarded_client import GuardedAioHttpClient
from arc_plugins.models.anthropic.decode import decode_message
from arc_plugins.models.anthropic.encode import RequestEncoder
from arc_plugins.models.anthropic.errors import translate
from arc_plugins.models.anthropic.stream_events import MessageEventDecoder

__all__ = ["AnthropicChatModel"]

_DEFAULT_MODEL = "claude-haiku-5-5"
_KEY_VARIABLE = "ANTHROPIC_API_KEY"
_CONNECT_TIMEOUT_S = 5
_HEADERS = {"content-type": "application/json"}


class AnthropicChatModel(ChatModel):
    """Asks Claude.

    Settings: `llm.model`, `llm.base_url`, `llm.max_output_tokens`; the key comes from
    `ANTHROPIC_API_KEY`, or credentials from wherever else the SDK finds them. A model that refuses
    a schema is asked without one from then on.

    Args:
        settings: Which model, and the bound of its answers, which the API demands.
        read_timeout_s: Seconds of silence after which a server is given up; a run's own deadline
            goes before it.
    """

    provider_name = "anthropic"

    def __init__(self, *, settings: LlmSettings, read_timeout_s: float = 600) -> None:
        self._settings = settings
        self._read_timeout_s = read_timeout_s
        self._encoder = RequestEncoder()
        self._client: anthropic.AsyncAnthropic | None = None
        self._models_without_schema: set[str] = set()

    @property
    def default_model(self) -> str:
        """What is asked for if a request names no model."""
        return self._settings.model or _DEFAULT_MODEL

    async def start(self) -> None:
        """Make the client, for this event loop.

        Raises:
            ConfigurationError: There are no credentials, or the address holds a password.
        """
        self._client = self._new_client()

    async def aclose(self) -> None:
        """Close all connections; may be started again, on another event loop too."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The whole answer.

        Raises:
            ModelError: The vendor could not or would not answer.
        """
        try:
            response = await self._post(request, stream=False)
            return decode_message(response.content)
        except ArcError:
            raise
        except Exception as error:  # whatever a server's bytes do to us is the server's failure
            raise translate(error, secret=self._secret) from error

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        """The answer in pieces, as they come.

        Raises:
            ModelError: As `complete`, at any piece.
        """
        return model_stream(
            connect=lambda: self._post(request, stream=True),
            decoder=MessageEventDecoder(),
            translate=lambda error: translate(error, secret=self._secret),
        )

    async def _post(self, request: ChatRequest, *, stream: bool) -> httpx2.Response:
        """Send a request, once more without the schema if the model takes none."""
        client = self._connected()
        model = request.model or self.default_model
        enforce_schema = model not in self._models_without_schema
        body = self._encode(request, model, enforce_schema=enforce_schema, stream=stream)
        try:
            return await _post_bytes(client, body, stream=stream)
        except anthropic.BadRequestError:
            plain = self._encode(request, model, enforce_schema=False, stream=stream)
            if plain == body:
                raise
        response = await _post_bytes(client, plain, stream=stream)
        self._models_without_schema.add(model)
        return response

    def _encode(
        self, request: ChatRequest, model: str, *, enforce_schema: bool, stream: bool
    ) -> bytes:
        return self._encoder.encode(
            request,
            model=model,
            max_tokens=request.max_output_tokens or self._settings.max_output_tokens,
            enforce_schema=enforce_schema,
            stream=stream,
        )

    def _connected(self) -> anthropic.AsyncAnthropic:
        if self._client is None:
            self._client = self._new_client()
        return self._client

    def _new_client(self) -> anthropic.AsyncAnthropic:
        base_url = self._settings.base_url
        client = anthropic.AsyncAnthropic(
            api_key=os.environ.get(_KEY_VARIABLE, "").strip() or None,
            base_url=None if base_url is None else base_url.rstrip("/").removesuffix("/v1"),
            max_retries=0,
            timeout=httpx2.Timeout(self._read_timeout_s, connect=_CONNECT_TIMEOUT_S),
            http_client=_HttpClient(
                max_reply_bytes=self._settings.max_reply_bytes, setting="llm.base_url"
            ),
            open_telemetry=False,
        )
        check_base_url(client.base_url, setting="llm.base_url", key_variable=_KEY_VARIABLE)
        has_secret = any(map(str.strip, (client.api_key or "", client.auth_token or "")))
        if not has_secret and client.credentials is None:
            raise ConfigurationError(
                f"Anthropic is the chat model and {_KEY_VARIABLE} is not set",
                remedy=f"set {_KEY_VARIABLE} to a key of your account",
            )
        return client

    @property
    def _secret(self) -> str | None:
        client = self._client
        return None if client is None else client.api_key or client.auth_token


class _HttpClient(GuardedAioHttpClient, anthropic.DefaultAioHttpClient):
    """The SDK's, on aiohttp, guarded."""


async def _post_bytes(
    client: anthropic.AsyncAnthropic, body: bytes, *, stream: bool
) -> httpx2.Response:
    """The response of a success; its body is read unless it is streamed."""
    response = await client.post(
        "/v1/messages",
        content=body,
        cast_to=httpx2.Response,
        options={"headers": _HEADERS},
        stream=stream,
        stream_cls=anthropic.AsyncStream[object],
    )
    assert isinstance(response, httpx2.Response)  # what cast_to asks for, streamed or not
    return response
