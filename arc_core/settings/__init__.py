"""The settings that the engine and every implementation of an interface read, a class per section.

`arc_autoconfig.ArcSettings` is `AgentSettings` plus the sections of the wiring and of plugins,
filled from files, environment and arguments. A plugin brings a section, or adds settings to one of
these, by the entry points of the group `arc.settings`. A component takes its section as a
constructor parameter. Durations are seconds, sizes are characters or tokens as named.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from arc_core.settings.models import (
    DEFAULT_MODEL,
    EmbedderSettings,
    LlmSettings,
    ModelSettings,
    Price,
)
from arc_core.settings.sections import (
    Harmless,
    Hidden,
    ListSection,
    NeedsTrust,
    OpenSection,
    Section,
)
from arc_core.text.addresses import AddressText, check_http_address

__all__ = [
    "DEFAULT_MODEL",
    "AddressText",
    "AgentSettings",
    "AgentsSettings",
    "ApprovalsSettings",
    "BudgetSettings",
    "CacheScope",
    "CacheSettings",
    "CircuitSettings",
    "CompactionWay",
    "ConcurrencySettings",
    "ContextSettings",
    "ConversationSettings",
    "DecidersSettings",
    "EmbedderSettings",
    "GuardSettings",
    "Harmless",
    "Hidden",
    "LimitsSettings",
    "ListSection",
    "LlmSettings",
    "ModelSettings",
    "NeedsTrust",
    "OnBudgetFailure",
    "OnFailure",
    "OpenSection",
    "Price",
    "RagMode",
    "RagPlace",
    "RagSettings",
    "ResponseSettings",
    "RetrySettings",
    "SecretAddress",
    "Section",
    "ServerAddressSettings",
    "ToolsSettings",
    "Trim",
]


def _http_address(value: SecretStr) -> SecretStr:
    check_http_address(value.get_secret_value())
    return value


SecretAddress = Annotated[SecretStr, AfterValidator(_http_address)]
"""The type of a setting that is an HTTP address which may hold a password or token."""


class ConcurrencySettings(Section):
    """The number of runs at once, and the time that anything may take."""

    max_concurrent_requests: int = Field(default=20, ge=1)
    acquire_timeout_s: float = Field(default=30, gt=0)
    request_timeout_s: float = Field(default=120, ge=0, description="0 switches it off")
    tool_call_timeout_s: float = Field(default=60, gt=0)
    finalize_timeout_s: float = Field(
        default=5, gt=0, description="of saving, and of each hook after the run"
    )
    component_timeout_s: float = Field(
        default=10, gt=0, description="of any call of a component that has no time-out of its own"
    )


class LimitsSettings(Section):
    """Bounds of a run; a smaller one elsewhere holds, as that of a command or an agent."""

    max_model_calls: int | None = Field(default=None, ge=1)
    max_tool_calls: int | None = Field(default=None, ge=0, description="none: `max_tool_calls`")
    max_total_tokens: int | None = Field(default=None, ge=1)
    max_cost: Decimal | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="at the prices of the models"
    )
    deadline_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="none: `concurrency.request_timeout_s`"
    )


class OnBudgetFailure(StrEnum):
    """The end of a run whose budgets cannot be asked."""

    REJECT = "reject"
    ALLOW = "allow"


class BudgetSettings(OpenSection):
    """The budgets of tenants and users, as runs spend them."""

    reserve_tokens: int = Field(
        default=20_000, ge=1, description="for a run without `max_total_tokens`, at its start"
    )
    report_within_s: float = Field(
        default=0.05,
        ge=0,
        le=60,
        description="how soon it is counted what a run has spent; 0 counts before it goes on",
    )
    soft_ratio: float = Field(
        default=0.8, gt=0, le=1, description="of a budget; from there on it is the soft limit"
    )
    soft_model: Annotated[str | None, Harmless("chooses among what is installed, by name")] = Field(
        default=None, description="a name of `llm.models`, asked past the soft limit"
    )
    on_failure: OnBudgetFailure = OnBudgetFailure.REJECT


class AgentsSettings(Section):
    """Bounds on agents that ask other agents."""

    max_depth: int = Field(
        default=3, ge=0, description="runs below the one that was asked, each below the next"
    )
    max_handoffs: int = Field(default=5, ge=0, description="of one run")


class RetrySettings(Section):
    """Retries of failed model calls."""

    max_attempts: int = Field(default=3, ge=0, description="0 and 1 are one attempt")
    initial_delay_s: float = Field(default=1, ge=0)
    multiplier: float = Field(default=2, ge=1)
    max_delay_s: float = Field(default=10, ge=0)


class CircuitSettings(Section):
    """The circuit breaker: a model that fails is not asked for a while."""

    failure_threshold: int = Field(
        default=5,
        ge=0,
        description="calls that failed, after their retries, by the vendor's fault, if they are "
        "at least half of all; 0 switches it off",
    )
    window_s: float = Field(default=30, gt=0, description="in which they failed")
    open_s: float = Field(default=30, ge=0, description="until one call tries again")


class GuardSettings(OpenSection):
    """Guards of prompts."""

    enabled: bool = True
    forward_normalized: bool = True


class ResponseSettings(OpenSection):
    """Filters of answers."""

    filters_enabled: bool = True


class CacheScope(StrEnum):
    """The runs that share an answer."""

    USER = "user"
    """Runs of one user of one tenant."""

    TENANT = "tenant"
    GLOBAL = "global"


class CacheSettings(OpenSection):
    """The cache: an answer is given again without asking the model."""

    enabled: bool = False
    scope: CacheScope = CacheScope.USER
    ttl_minutes: float = Field(default=60, gt=0, allow_inf_nan=False)
    cacheable_temperature: float = Field(default=0.0, ge=0)
    timeout_s: float = Field(
        default=0.5, gt=0, description="what the cache may cost one run at most"
    )


class OnFailure(StrEnum):
    """The part of a failed run that a conversation keeps."""

    NOTHING = "nothing"
    USER = "user"
    PARTIAL = "partial"


class Trim(StrEnum):
    """The beginning of what is sent of a conversation."""

    STEPS = "steps"
    """At the same turn for half a window, so that requests begin alike."""

    EXACT = "exact"
    """At the last turns that are wanted."""


class ConversationSettings(OpenSection):
    """The memory of conversations."""

    on_failure: OnFailure = OnFailure.NOTHING
    keep_tool_calls: bool = Field(default=False, description="keep tool calls with their results")
    max_attachment_bytes: int = Field(
        default=1_048_576, ge=0, description="of an attachment that is kept; a larger one is named"
    )
    trim: Trim = Trim.STEPS


class ToolsSettings(OpenSection):
    """The tools, and the size of their results."""

    builtin: Annotated[
        tuple[str, ...] | None, Harmless("chooses among what is installed, by name")
    ] = None
    max_output_chars: int = Field(default=50_000, ge=1)
    needs_approval: Annotated[
        tuple[str, ...], Harmless("names what waits for a person besides what does anyway")
    ] = ()


class CompactionWay(StrEnum):
    """The way in which room is made once a request would not fit into the window."""

    CLEARING = "clearing"
    """Old tool results first, then old exchanges, with a list of their calls in their place."""

    SUMMARY = "summary"
    """As clearing, with a summary in the place of the list."""

    DROP = "drop"
    """The oldest exchanges go, no more than needed."""


class ContextSettings(OpenSection):
    """The window of the model: what of a long run it is shown, and what is kept of the rest."""

    show_result_chars: int = Field(
        default=20_000, ge=1, description="of a longer tool result, its beginning and its end"
    )
    keep_result_chars: int = Field(default=4_194_304, ge=1, description="of one tool result")
    keep_run_chars: int = Field(
        default=67_108_864, ge=0, description="in memory; the oldest results go to a file"
    )
    max_reads: int = Field(
        default=50, ge=0, description="calls of read_result that do not count as tool calls"
    )
    compaction: CompactionWay = CompactionWay.CLEARING
    summary_model: Annotated[str | None, Harmless("chooses among what is installed, by name")] = (
        Field(default=None, description="a name of `llm.models`; none: the model of the run")
    )
    compaction_timeout_s: float = Field(
        default=60, gt=0, description="after it, clearing stands in for another compactor"
    )


class DecidersSettings(Section):
    """The people that decide about some of the tools."""

    tools: tuple[str, ...] = Field(default=("*",), min_length=1, description="names and patterns")
    deciders: tuple[str, ...] = Field(
        default=(), description="names of groups, keys and people; none: all that have the right"
    )
    people: int = Field(default=1, ge=1, description="so many different ones have to approve")


class ApprovalsSettings(OpenSection):
    """Approvals: the people that tool calls wait for, and for how long."""

    expire_s: float | None = Field(default=None, gt=0)
    by: Annotated[
        tuple[DecidersSettings, ...], NeedsTrust("who is named there decides about tool calls")
    ] = Field(default=(), description="the first one counts whose tools fit")


class RagPlace(StrEnum):
    """The place of retrieved documents in a request."""

    USER = "user"
    """With the question they were retrieved for, so that requests begin alike."""

    SYSTEM = "system"


class RagMode(StrEnum):
    """By what documents are found."""

    WORDS = "words"
    MEANING = "meaning"
    BOTH = "both"


class RagSettings(OpenSection):
    """Retrieval of documents."""

    place: RagPlace = RagPlace.USER
    mode: RagMode | None = Field(
        default=None, description="none: `both` with an embedder, else `words`"
    )
    top_k: int = Field(default=5, ge=1)
    max_context_tokens: int = Field(default=4000, ge=1)
    retrieval_timeout_s: float = Field(default=3, gt=0)
    candidates: int = Field(default=30, ge=1, description="documents that a reranker chooses from")
    tenant_filter: bool = Field(
        default=True, description="a run sees its tenant's documents, and those of no tenant"
    )


class ServerAddressSettings(Section):
    """The address of the server, for components that send people there."""

    host: str = "127.0.0.1"
    port: int = 8010
    public_url: str | None = None

    @property
    def base_url(self) -> str:
        """By which people reach it, with a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}/"


class AgentSettings(BaseModel):
    """All that one run depends on."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    llm: LlmSettings = Field(default_factory=LlmSettings)
    max_tool_calls: int = Field(default=10, ge=0)
    max_tools_per_request: int = Field(default=30, ge=1)
    concurrency: ConcurrencySettings = Field(default_factory=ConcurrencySettings)
    limits: LimitsSettings = Field(default_factory=LimitsSettings)
    budget: BudgetSettings = Field(default_factory=BudgetSettings)
    agents: AgentsSettings = Field(default_factory=AgentsSettings)
    retry: RetrySettings = Field(default_factory=RetrySettings)
    circuit: CircuitSettings = Field(default_factory=CircuitSettings)
    guard: GuardSettings = Field(default_factory=GuardSettings)
    response: ResponseSettings = Field(default_factory=ResponseSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    tools: ToolsSettings = Field(default_factory=ToolsSettings)
    context: ContextSettings = Field(default_factory=ContextSettings)
    approvals: ApprovalsSettings = Field(default_factory=ApprovalsSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    embedder: EmbedderSettings = Field(default_factory=EmbedderSettings)
