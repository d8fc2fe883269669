"""Metrics of every run.

The engine calls it synchronously, so it must be fast; an exception is logged and changes nothing.
"""

from abc import abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.errors import AgentErrorCode
from arc_core.messages import ToolOutcome
from arc_core.runs.summaries import KeptRunCounts
from arc_core.usage import FinishReason, TokenUsage


class FaultSource(StrEnum):
    """A part of a run that failed without failing the run."""

    GUARD = "guard"
    OUTPUT_GUARD = "output_guard"
    HOOK = "hook"
    HISTORY_LOAD = "history_load"
    HISTORY_SAVE = "history_save"
    RETRIEVAL = "retrieval"
    TOOL_SELECTION = "tool_selection"
    RESPONSE_FILTER = "response_filter"
    RESPONSE_CACHE = "response_cache"
    CHAT_MODEL = "chat_model"
    TOKEN_ESTIMATOR = "token_estimator"  # noqa: S105 -- no secret
    ERROR_MESSAGE_RESOLVER = "error_message_resolver"
    RUN_COMPONENT = "run_component"
    INSTRUCTIONS = "instructions"
    OUTPUT_CHECK = "output_check"
    TOOL_RESULT_GUARD = "tool_result_guard"
    MODEL_PRICES = "model_prices"
    BUDGETS = "budgets"
    COMPACTION = "compaction"


class CacheLookup(StrEnum):
    """The outcome of a look-up in the response cache."""

    HIT = "hit"
    MISS = "miss"


class ModelOperation(StrEnum):
    """The purpose of a model call."""

    CHAT = "chat"
    EMBEDDINGS = "embeddings"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run, at its end.

    Attributes:
        streaming: Whether it was streamed.
        error_code: None for a success; `CANCELLED` for a run that was cancelled.
        duration_ms: From entry to return, in milliseconds.
        token_usage: Sum over its model calls and those of the runs it has started; None if the
            vendor reported none.
        model: The vendor's name that its last model call asked for; None as in `ModelCallRecord`,
            or if no model was asked.
        provider: The vendor that was asked; None as `model`.
        agent: The name of the agent that ran; None if there is none of the name that was asked for.
        name: The model's name in `llm.models`; None for that of `llm` itself.
        cost: As in its `AgentResult`.
    """

    streaming: bool
    error_code: AgentErrorCode | None
    duration_ms: float
    token_usage: TokenUsage | None
    model: str | None = None
    provider: str | None = None
    agent: str | None = "default"
    name: str | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallRecord:
    """One successful or failed call of the model, its retries included.

    Attributes:
        model: The vendor's name asked for; None if the chat model does not tell its default.
        attempts: How often the vendor was asked; 0 if the model's circuit was open.
        error_code: None for a success; `OUTPUT_REJECTED` if an output guard has ended its stream.
        duration_ms: In milliseconds, retries and their sleeps included.
        token_usage: None if the vendor reported none, or the answer did not come to its end.
        provider: The vendor that was asked; None if the chat model does not tell it.
        finish_reason: Why the model stopped; None as `token_usage`, or if the vendor does not say.
        name: The model's name in `llm.models`; None for that of `llm` itself.
        cost: At the price that is known of the model; None without one, or as `token_usage`.
        fallback: The name of the model that is asked after this one has failed; None if none is.
        operation: What the model is asked for; embeddings belong to no run.
    """

    model: str | None
    attempts: int
    error_code: AgentErrorCode | None
    duration_ms: float
    token_usage: TokenUsage | None
    provider: str | None = None
    finish_reason: FinishReason | None = None
    name: str | None = None
    cost: Decimal | None = None
    fallback: str | None = None
    operation: ModelOperation = ModelOperation.CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord:
    """Room that was made in the conversation of a run.

    Attributes:
        cleared: Tool results in whose place a line stands.
        dropped: Exchanges that are left out.
        tokens_before: Of all messages of the request.
        tokens_after: Of the messages that are left.
        agent: The name of the agent that runs.
    """

    cleared: int
    dropped: int
    tokens_before: int
    tokens_after: int
    agent: str = "default"


@slot("agent_metrics", group="arc.agent_metrics")
@runtime_checkable
class AgentMetrics(Protocol):
    """Records measurements. Inherit from it and override what you need."""

    # The bodies return, or type checkers take the methods for abstract.

    def record_run(self, record: RunRecord) -> None:
        """A run ended, in whatever way."""
        return

    def record_model_call(self, record: ModelCallRecord) -> None:
        """A model call ended."""
        return

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """A tool call ended; `name` is as the model wrote it if the outcome is `NOT_FOUND`."""
        return

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """The response cache was asked."""
        return

    def record_fault(self, source: FaultSource) -> None:
        """A component failed and the run went on, or was rejected for it."""
        return


@runtime_checkable
class CountsKeptRuns(Protocol):
    """Metrics that count the runs that a store keeps; asked whenever the store reports them."""

    @abstractmethod
    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """One of the counts has changed, or the store tells them once more."""


@runtime_checkable
class CountsCompactions(Protocol):
    """Metrics that count how often room is made in the conversations of runs."""

    @abstractmethod
    def record_compaction(self, record: CompactionRecord) -> None:
        """Room was made for a request that would not have fit."""
