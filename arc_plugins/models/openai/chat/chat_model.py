"""OpenAI's models, and everything that speaks its Chat Completions API.

Pick it with `llm.base_url` for Ollama, vLLM, llama.cpp, Azure and gateways, and with `llm.api =
"chat"` for OpenAI itself.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from arc_core import ChatRequest, ChatResponse
from arc_core.wire.attachments import IMAGE_TYPES, PDF, is_text
from arc_plugins.models.openai.chat.chunks import ChunkDecoder
from arc_plugins.models.openai.chat.decode import decode_completion
from arc_plugins.models.openai.chat.encode import (
    SOUND_FORMATS,
    ChatDialect,
    ChatRequestEncoder,
    dialect_of_host,
)
from arc_plugins.models.openai.client import OpenAIHttpChatModel, vendor_at

_OPTIONS = frozenset({
    "frequency_penalty", "logit_bias", "metadata", "parallel_tool_calls", "presence_penalty",
    "prompt_cache_retention", "safety_identifier", "seed", "service_tier", "stop", "store",
    "top_p", "user", "verbosity",
})  # fmt: skip
_OWN_FIELDS = frozenset({
    "max_completion_tokens", "max_tokens", "messages", "model", "prompt_cache_key",
    "reasoning_effort", "response_format", "stream", "stream_options", "temperature",
    "tool_choice", "tools",
})  # fmt: skip


class OpenAIChatModel(OpenAIHttpChatModel[ChatDialect]):
    """Asks a server through the Chat Completions API.

    Settings: `llm.model`, `llm.base_url`; the key comes from `llm.api_key`, else from
    `OPENAI_API_KEY`. A server at a base URL needs none if it asks for none. What it rejects of the
    parameters that Arc can do without is left out from then on.
    """

    vendor = vendor_at("chat", "/chat/completions", options=_OPTIONS, own_fields=_OWN_FIELDS)

    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer."""
        return decode_completion(body)

    def stream_decoder(self) -> ChunkDecoder:
        """A new one, for one answer."""
        return ChunkDecoder()

    @cached_property
    def _encoder(self) -> ChatRequestEncoder:
        return ChatRequestEncoder(sends_cache_key=self.settings.prompt_caching)

    def accepts(self, media_type: str) -> bool:
        """Images, PDF, sounds in MP3 and WAV, and texts."""
        return media_type in (*IMAGE_TYPES, *SOUND_FORMATS, PDF) or is_text(media_type)

    def accepts_address(self, media_type: str) -> bool:
        """Of images."""
        return media_type in IMAGE_TYPES

    def dialect_of(self, host: str) -> ChatDialect:
        """OpenAI's own, or what its imitators understand best."""
        return dialect_of_host(host)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ChatDialect, stream: bool
    ) -> bytes:
        """The body of a chat completion request."""
        return self._encoder.encode(request, model=model, dialect=dialect, stream=stream)

    def option_fields(self, options: Mapping[str, Any], request: ChatRequest) -> Mapping[str, Any]:
        """As they are; what is said of tool calls is refused without tools."""
        left_out = set() if request.tools else {"parallel_tool_calls"}
        return {name: value for name, value in options.items() if name not in left_out}
