"""OpenAI's models, and everything that speaks its Chat Completions API.

Pick it for OpenAI itself, and with `llm.base_url` for Ollama, vLLM, llama.cpp, Azure and gateways.
The SDK's client makes connections, knows credentials and proxies, and sorts out statuses; requests
are encoded and responses decoded here, because the SDK's objects cost several times what the
transport does.
"""

import os
from collections.abc import AsyncGenerator

import httpx2
import openai

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
from arc_plugins.models.openai.chunks import ChunkDecoder
from arc_plugins.models.openai.decode import decode_completion
from arc_plugins.models.openai.dialect import Dialect, dialect_of_host
from arc_plugins.models.openai.encode import RequestEncoder
from arc_plugins.models.openai.errors import translate

__all__ = ["OpenAIChatModel"]

_DEFAULT_MODEL = "gpt-5.4-mini"
_KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"  # the SDK demands one, also for servers that do not
_CONNECT_TIMEOUT_S = 5
_HEADERS = {"content-type": "application/json"}


class OpenAIChatModel(ChatModel):
    """Asks a server through the Chat Completions API.

    Settings: `llm.model`, `llm.base_url`; the key comes from `OPENAI_API_KEY`. A server at a base
    URL needs none if it asks for none. What it rejects of the parameters that Arc can do without is
    left out from then on.

    Args:
        settings: Which server and model.
        read_timeout_s: Seconds of silence after which a server is given up; a run's own deadline
            goes before it.
    """

    provider_name = "openai"

    def __init__(self, *, settings: LlmSettings, read_timeout_s: float = 600) -> None:
        self._settings = settings
        self._read_timeout_s = read_timeout_s
        self._encoder = RequestEncoder()
        self._client: openai.AsyncOpenAI | None = None
        self._dialects: dict[str, Dialect] = {}

    @property
    def default_model(self) -> str:
        """What is asked for if a request names no model."""
        return self._settings.model or _DEFAULT_MODEL

    async def start(self) -> None:
        """Make the client, for this event loop.

        Raises:
            ConfigurationError: There is no key, or the address holds a password.
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
            ModelError: The server could not or would not answer.
        """
        try:
            response = await self._post(request, stream=False)
            return decode_completion(response.content)
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
            decoder=ChunkDecoder(),
            translate=lambda error: translate(error, secret=self._secret),
        )

    async def _post(self, request: ChatRequest, *, stream: bool) -> httpx2.Response:
        """Send a request, once more for each parameter that the server turns out not to take."""
        client = self._connected()
        model = request.model or self.default_model
        dialect = self._dialects.get(model) or dialect_of_host(client.base_url.host)
        while True:
            body = self._encoder.encode(request, model=model, dialect=dialect, stream=stream)
            try:
                return await _post_bytes(client, body, stream=stream)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                changed = dialect.after(error)
                if changed is None:
                    raise
                self._dialects[model] = dialect = changed

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = self._new_client()
        return self._client

    def _new_client(self) -> openai.AsyncOpenAI:
        client = openai.AsyncOpenAI(
            api_key=self._api_key(),
            base_url=self._settings.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(self._read_timeout_s, connect=_CONNECT_TIMEOUT_S),
            http_client=_HttpClient(
                max_reply_bytes=self._settings.max_reply_bytes, setting="llm.base_url"
            ),
        )
        check_base_url(client.base_url, setting="llm.base_url", key_variable=_KEY_VARIABLE)
        return client

    def _api_key(self) -> str:
        key = os.environ.get(_KEY_VARIABLE, "").strip()
        if not key and self._settings.base_url is None:
            raise ConfigurationError(
                f"OpenAI is the chat model and {_KEY_VARIABLE} is not set",
                remedy=f"set {_KEY_VARIABLE} to a key of your account, or llm.base_url to the "
                "address of a compatible server that needs none",
            )
        return key or _NO_KEY

    @property
    def _secret(self) -> str | None:
        key = None if self._client is None else self._client.api_key
        return None if key == _NO_KEY else key


class _HttpClient(GuardedAioHttpClient, openai.DefaultAioHttpClient):
    """The SDK's, on aiohttp, guarded."""


async def _post_bytes(client: openai.AsyncOpenAI, body: bytes, *, stream: bool) -> httpx2.Response:
    """The response of a success; its body is read unless it is streamed."""
    response = await client.post(
        "/chat/completions",
        content=body,
        cast_to=httpx2.Response,
        options={"headers": _HEADERS},
        stream=stream,
        stream_cls=openai.AsyncStream[object],
    )
    assert isinstance(response, httpx2.Response)  # what cast_to asks for, streamed or not
    return response
