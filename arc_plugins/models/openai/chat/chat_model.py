"""OpenAI's models, and everything that speaks its Chat Completions API.

Pick it for OpenAI itself, and with `llm.base_url` for Ollama, vLLM, llama.cpp, Azure and gateways.
"""

import openai

from arc_core import ChatRequest, ChatResponse
from arc_core.settings import LlmSettings
from arc_core.wire.guarded_client import GuardedAioHttpClient
from arc_core.wire.http_chat_model import ClientOptions, Connection, HttpChatModel, Vendor
from arc_plugins.models.openai.chat.chunks import ChunkDecoder
from arc_plugins.models.openai.chat.decode import decode_completion
from arc_plugins.models.openai.chat.dialect import Dialect, dialect_of_host
from arc_plugins.models.openai.chat.encode import RequestEncoder
from arc_plugins.models.openai.errors import ERRORS

__all__ = ["OpenAIChatModel"]

_NO_KEY = "none"  # the SDK demands one, also for servers that do not


class OpenAIChatModel(HttpChatModel[Dialect]):
    """Asks a server through the Chat Completions API.

    Settings: `llm.model`, `llm.base_url`; the key comes from `OPENAI_API_KEY`. A server at a base
    URL needs none if it asks for none. What it rejects of the parameters that Arc can do without is
    left out from then on.
    """

    vendor = Vendor(
        title="OpenAI",
        path="/chat/completions",
        default_model="gpt-5.4-mini",
        key_variable="OPENAI_API_KEY",
        key_remedy=", or llm.base_url to the address of a compatible server that needs none",
        errors=ERRORS,
        refusals=(openai.BadRequestError, openai.UnprocessableEntityError),
    )

    def __init__(self, *, settings: LlmSettings, read_timeout_s: float = 600) -> None:
        super().__init__(settings=settings, read_timeout_s=read_timeout_s)
        self._encoder = RequestEncoder()

    def connect(self, options: ClientOptions) -> Connection:
        """The SDK's client, with its own retries off."""
        client = openai.AsyncOpenAI(
            api_key=options.key or _NO_KEY,
            base_url=options.base_url,
            max_retries=0,
            timeout=options.timeout,
            http_client=_HttpClient(
                max_reply_bytes=options.max_reply_bytes, setting=options.setting
            ),
        )
        is_authorized = bool(options.key) or options.base_url is not None
        return Connection(client=client, secret=options.key or None, is_authorized=is_authorized)

    def dialect_of(self, host: str) -> Dialect:
        """OpenAI's own, or what its imitators understand best."""
        return dialect_of_host(host)

    def dialect_after(self, dialect: Dialect, refusal: Exception) -> Dialect | None:
        """Without the parameter that the refusal names."""
        return dialect.after(refusal) if isinstance(refusal, openai.APIStatusError) else None

    def encode(self, request: ChatRequest, *, model: str, dialect: Dialect, stream: bool) -> bytes:
        """The body of a chat completion request."""
        return self._encoder.encode(request, model=model, dialect=dialect, stream=stream)

    def decode(self, body: bytes) -> ChatResponse:
        """The first choice of a chat completion."""
        return decode_completion(body)

    def stream_decoder(self) -> ChunkDecoder:
        """For the chunks of one completion."""
        return ChunkDecoder()


class _HttpClient(GuardedAioHttpClient, openai.DefaultAioHttpClient):
    """The SDK's, on aiohttp, guarded."""
