"""Google's models, through the Gemini API.

Pick it for Gemini; with `llm.base_url` it asks any server that speaks the same API.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

from arc_core import ChatRequest, ChatResponse, InvalidRequestError
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.attachments import is_text
from arc_core.wire.host_credentials import read_variable
from arc_core.wire.http_chat_model import (
    ClientOptions,
    Connection,
    HttpChatModel,
    PlainClient,
    RefusedRequestError,
    Vendor,
)
from arc_plugins.models.gemini.decode import decode_answer
from arc_plugins.models.gemini.encode import (
    CONFIG_OPTIONS,
    MEDIA,
    GeminiDialect,
    GeminiRequestEncoder,
)
from arc_plugins.models.gemini.errors import ERRORS
from arc_plugins.models.gemini.stream_events import GenerateContentDecoder

_HOST = "generativelanguage.googleapis.com"
_SECOND_VARIABLE = "GEMINI_API_KEY"
_OPTION_FIELDS = {
    "cached_content": "cachedContent",
    "labels": "labels",
    "safety_settings": "safetySettings",
    "service_tier": "serviceTier",
}
_OWN_FIELDS = frozenset({
    "contents", "generationConfig", "systemInstruction", "toolConfig", "tools",
})  # fmt: skip
_ENDS_WITH_VERSION = re.compile(r"/v\d\w*\Z")


class GeminiChatModel(HttpChatModel[GeminiDialect]):
    """Asks Gemini.

    Settings: `llm.model`, `llm.base_url`; the key comes from `llm.api_key`, else from
    `GOOGLE_API_KEY`, else from `GEMINI_API_KEY`, which is the order of Google's own SDK.
    """

    vendor = Vendor(
        title="Gemini",
        path="/models",
        default_model="gemini-3.8-flash",
        key_variable="GOOGLE_API_KEY",
        key_remedy=", or GEMINI_API_KEY",
        host=_HOST,
        errors=ERRORS,
        refusals=(RefusedRequestError,),
        options=frozenset({*CONFIG_OPTIONS, *_OPTION_FIELDS}),
        own_fields=_OWN_FIELDS,
        api="gemini",
    )

    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer."""
        return decode_answer(body)

    def stream_decoder(self) -> GenerateContentDecoder:
        """A new one, for one answer."""
        return GenerateContentDecoder()

    @cached_property
    def _encoder(self) -> GeminiRequestEncoder:
        return GeminiRequestEncoder(self.settings.options)

    def accepts(self, media_type: str) -> bool:
        """Images, PDF, sounds and texts."""
        return media_type in MEDIA or is_text(media_type)

    def accepts_address(self, media_type: str) -> bool:
        """Of images, PDF and sounds."""
        return media_type in MEDIA

    def connect(self, options: ClientOptions) -> Connection:
        """A client that sends the key in a header; at a host, it has none and sends none."""
        key = "" if options.is_hosted else options.key or read_variable(_SECOND_VARIABLE)
        address = (options.base_url or f"https://{_HOST}").rstrip("/")
        is_whole = options.is_hosted or _ENDS_WITH_VERSION.search(address)
        http = AioHttpClient(
            base_url=address if is_whole else f"{address}/v1beta",
            headers={"x-goog-api-key": key} if key else {},
            timeout=options.timeout,
            max_reply_bytes=options.max_reply_bytes,
            setting=options.setting,
        )
        return Connection(client=PlainClient(http), secret=key or None, is_authorized=bool(key))

    def request_path(self, model: str, *, stream: bool) -> str:
        """That of a method of the model."""
        name = quote(model, safe="/")
        method = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/{name}:{method}" if "/" in name else f"/models/{name}:{method}"

    def dialect_of(self, host: str) -> GeminiDialect:
        """That of the newest models."""
        return GeminiDialect()

    def dialect_after(self, dialect: GeminiDialect, refusal: Exception) -> GeminiDialect | None:
        """That of older models, if the request was refused as such."""
        message = ERRORS.body_of(refusal).message or ""
        is_unclear = ERRORS.type_of(refusal, message) is InvalidRequestError
        return dialect.next() if is_unclear else None

    def encode(
        self, request: ChatRequest, *, model: str, dialect: GeminiDialect, stream: bool
    ) -> bytes:
        """The body of a generateContent request; the path tells if it is to be streamed."""
        return self._encoder.encode(request, model=model, dialect=dialect)

    def option_fields(self, options: Mapping[str, Any], request: ChatRequest) -> Mapping[str, Any]:
        """Under the vendor's names; those of `generationConfig` are encoded with it."""
        return {_OPTION_FIELDS[name]: options[name] for name in options if name in _OPTION_FIELDS}
