"""OpenAI's models, through the Responses API.

Pick it for OpenAI itself, whose newer models think and call tools in one request only here.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from arc_core import ChatRequest, ChatResponse
from arc_core.wire.attachments import AcceptsImagesAndPdf
from arc_plugins.models.openai.client import OpenAIHttpChatModel, vendor_at
from arc_plugins.models.openai.responses.decode import decode_response
from arc_plugins.models.openai.responses.encode import ResponsesDialect, ResponsesRequestEncoder
from arc_plugins.models.openai.responses.events import ResponseEventDecoder

_OPTIONS = frozenset({
    "max_tool_calls", "metadata", "parallel_tool_calls", "prompt_cache_retention",
    "safety_identifier", "service_tier", "tool_search", "top_logprobs", "top_p", "truncation",
    "user", "verbosity",
})  # fmt: skip
_OWN_FIELDS = frozenset({
    "include", "input", "instructions", "max_output_tokens", "model", "prompt_cache_key",
    "reasoning", "store", "stream", "temperature", "text", "tool_choice", "tools",
})  # fmt: skip


class OpenAIResponsesChatModel(AcceptsImagesAndPdf, OpenAIHttpChatModel[ResponsesDialect]):
    """Asks OpenAI through the Responses API, which keeps nothing: each request has it all.

    Settings: `llm.model`, `llm.base_url`, `llm.prompt_caching`; the key comes from `llm.api_key`,
    else from `OPENAI_API_KEY`. What a model thought goes back encrypted in the tool turns of a run.
    What it rejects of the parameters that Arc can do without is left out from then on.
    """

    vendor = vendor_at("responses", "/responses", options=_OPTIONS, own_fields=_OWN_FIELDS)

    def decode(self, body: bytes) -> ChatResponse:
        """A whole answer."""
        return decode_response(body)

    def stream_decoder(self) -> ResponseEventDecoder:
        """A new one, for one answer."""
        return ResponseEventDecoder()

    @cached_property
    def _encoder(self) -> ResponsesRequestEncoder:
        return ResponsesRequestEncoder(
            prompt_caching=self.settings.prompt_caching,
            verbosity=self.settings.options.get("verbosity"),
            searches_tools=self.settings.options.get("tool_search") is True,
        )

    def dialect_of(self, host: str) -> ResponsesDialect:
        """Everything."""
        return ResponsesDialect()

    def lasting_dialect(self, dialect: ResponsesDialect) -> ResponsesDialect:
        """With reasoning: other sessions may hold what this organization can read."""
        return replace(dialect, takes_reasoning=True)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ResponsesDialect, stream: bool
    ) -> bytes:
        """The body of a request for a response."""
        return self._encoder.encode(request, model=model, dialect=dialect, stream=stream)

    def option_fields(self, options: Mapping[str, Any], request: ChatRequest) -> Mapping[str, Any]:
        """As they are, but for those that are part of other fields, or for tools that there are."""
        left_out = {"verbosity", "tool_search"}
        if not request.tools:
            left_out.add("parallel_tool_calls")
        return {name: value for name, value in options.items() if name not in left_out}
