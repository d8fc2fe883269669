"""Names of OpenTelemetry's conventions for generative AI.

The conventions are in development; the constants of the semantic-conventions package are marked as
deprecated, because the conventions have moved into a repository of their own.
"""

from collections.abc import Mapping
from enum import StrEnum

from arc_core import TokenUsage
from arc_core.settings import LlmSettings

SCOPE = "arc"
"""The name of what measures, as tracers and meters are told."""

AGENT = "gen_ai.agent.name"
ARGUMENTS = "gen_ai.tool.call.arguments"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
CALL_ID = "gen_ai.tool.call.id"
CONVERSATION = "gen_ai.conversation.id"
ERROR_TYPE = "error.type"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_MESSAGES = "gen_ai.input.messages"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
MODEL = "gen_ai.request.model"
MODEL_NAME = "arc.model.name"
OPERATION = "gen_ai.operation.name"
OUTPUT_MESSAGES = "gen_ai.output.messages"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
PARENT_RUN = "arc.run.parent.id"
PROVIDER = "gen_ai.provider.name"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
RESULT = "gen_ai.tool.call.result"
RESUMED = "arc.run.resumed"
RUN = "arc.run.id"
SUSPENDED = "arc.run.suspended"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 -- a kind of tokens, no secret
TOOL = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"

TRACEPARENT = "arc.traceparent"
"""In the metadata of a run that a journal keeps: the span it began with, as W3C writes it."""

DEFAULT_AGENT = "default"
"""The agent that has no name of its own, which is not told."""

OTHER = "_OTHER"
"""Stands for a value that is not known, or that would be one of too many."""


class Operation(StrEnum):
    """The operations."""

    CHAT = "chat"
    EMBEDDINGS = "embeddings"
    EXECUTE_TOOL = "execute_tool"
    INVOKE_AGENT = "invoke_agent"


def get_provider(settings: LlmSettings) -> str:
    """The vendor, as far as the settings name one."""
    return settings.provider or OTHER


def exportable(text: str) -> str:
    """A text without lone surrogates, over which exporters lose all spans of a batch."""
    return text.encode("utf-8", "replace").decode("utf-8")


def usage_attributes(usage: TokenUsage) -> Mapping[str, int]:
    """All tokens, and of them those from and for the vendor's cache and of thinking, if any."""
    parts = {
        CACHE_READ_TOKENS: usage.cached_tokens,
        CACHE_WRITE_TOKENS: usage.cache_write_tokens,
        REASONING_TOKENS: usage.reasoning_tokens,
    }
    return {
        INPUT_TOKENS: usage.prompt_tokens,
        OUTPUT_TOKENS: usage.completion_tokens,
        **{name: tokens for name, tokens in parts.items() if tokens},
    }


def cached_share(usage: TokenUsage) -> float | None:
    """The share of a prompt that came from the vendor's cache; None if none was counted."""
    return usage.cached_tokens / usage.prompt_tokens if usage.prompt_tokens else None
