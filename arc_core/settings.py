"""The settings that the engine and the built-in components read, a class per section.

`arc_autoconfig.ArcSettings` is `AgentSettings` plus the sections of the wiring, filled from files,
environment and arguments. A component takes its section as a constructor parameter. Durations are
seconds, sizes are characters or tokens as named.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from arc_core.addresses import AddressText
from arc_core.setting_marks import Hidden, NeedsTrust

__all__ = [
    "AddressText",
    "AgentSettings",
    "AuditSettings",
    "CacheBackend",
    "CacheScope",
    "CacheSettings",
    "ConcurrencySettings",
    "ConversationSettings",
    "GuardSettings",
    "Hidden",
    "InjectionMode",
    "Language",
    "LlmSettings",
    "McpServerSettings",
    "McpSettings",
    "MessagesSettings",
    "NeedsTrust",
    "OnFailure",
    "RagSettings",
    "ResponseSettings",
    "RetrySettings",
    "Section",
    "TelemetrySettings",
    "ToolSelection",
    "ToolsSettings",
    "WebhookSettings",
]


class Section(BaseModel):
    """A frozen group of settings; unknown names are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class LlmSettings(Section):
    """Which model, and how it is asked."""

    provider: str | None = None
    model: str | None = None
    base_url: Annotated[
        AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")
    ] = None
    temperature: float | None = Field(default=None, ge=0)
    max_output_tokens: int = Field(default=4096, ge=1)
    max_context_window_tokens: int = Field(default=128_000, ge=2)
    max_reply_bytes: int = Field(
        default=33_554_432, ge=1, description="of one reply of a model or MCP server, decompressed"
    )
    system_prompt: str = "You are a helpful assistant."

    @model_validator(mode="after")
    def _window_exceeds_output(self) -> Self:
        if self.max_context_window_tokens <= self.max_output_tokens:
            msg = (
                f"max_context_window_tokens ({self.max_context_window_tokens}) must be larger than "
                f"max_output_tokens ({self.max_output_tokens}): raise the one or lower the other"
            )
            raise ValueError(msg)
        return self


class ConcurrencySettings(Section):
    """How many runs at once, and how long anything may take."""

    max_concurrent_requests: int = Field(default=20, ge=1)
    acquire_timeout_s: float = Field(default=30, gt=0)
    request_timeout_s: float = Field(default=30, ge=0, description="0 switches it off")
    tool_call_timeout_s: float = Field(default=15, gt=0)
    finalize_timeout_s: float = Field(
        default=5, gt=0, description="of saving, and of each hook after the run"
    )
    component_timeout_s: float = Field(
        default=10, gt=0, description="of any call of a component that has no time-out of its own"
    )


class RetrySettings(Section):
    """How a failed model call is tried again."""

    max_attempts: int = Field(default=3, ge=0, description="0 and 1 are one attempt")
    initial_delay_s: float = Field(default=1, ge=0)
    multiplier: float = Field(default=2, ge=1)
    max_delay_s: float = Field(default=10, ge=0)


class InjectionMode(StrEnum):
    """What happens to a prompt that looks like an injection."""

    ENFORCE = "enforce"
    MONITOR = "monitor"
    OFF = "off"


class GuardSettings(Section):
    """Which prompts are let in."""

    enabled: bool = True
    forward_normalized: bool = True
    rate_limit_per_minute: int = Field(default=0, ge=0, description="0 is off")
    rate_limit_per_hour: int = Field(default=0, ge=0, description="0 is off")
    rate_limit_redis_url: Annotated[
        SecretStr | None, NeedsTrust("counts of users' prompts are sent there")
    ] = Field(default=None, description="counts in Redis, for all processes; none: in each process")
    min_input_chars: int = Field(default=1, ge=0)
    max_input_chars: int = Field(default=10_000, ge=1)
    max_zero_width_ratio: float = Field(default=0.1, ge=0, le=1)
    injection_mode: InjectionMode = InjectionMode.ENFORCE
    injection_threshold: float = Field(default=0.5, gt=0, le=1)

    @model_validator(mode="after")
    def _range_is_not_empty(self) -> Self:
        if self.min_input_chars > self.max_input_chars:
            msg = (
                f"min_input_chars ({self.min_input_chars}) must not exceed "
                f"max_input_chars ({self.max_input_chars})"
            )
            raise ValueError(msg)
        return self


class ResponseSettings(Section):
    """What happens to an answer."""

    max_length: int = Field(default=0, ge=0, description="characters; 0 is unlimited")
    filters_enabled: bool = True


class CacheBackend(StrEnum):
    """Where answers are kept."""

    MEMORY = "memory"
    REDIS = "redis"


class CacheScope(StrEnum):
    """Who shares an answer."""

    USER = "user"
    """Runs of one user of one tenant."""

    TENANT = "tenant"
    GLOBAL = "global"


class CacheSettings(Section):
    """When an answer is given again without asking the model."""

    enabled: bool = False
    backend: CacheBackend = CacheBackend.MEMORY
    scope: CacheScope = CacheScope.USER
    max_size: int = Field(default=1000, ge=1, description="answers kept in memory")
    ttl_minutes: float = Field(default=60, gt=0, allow_inf_nan=False)
    cacheable_temperature: float = Field(default=0.0, ge=0)
    timeout_s: float = Field(
        default=0.5, gt=0, description="what the cache may cost one run at most"
    )
    redis_url: Annotated[SecretStr, NeedsTrust("answers are read and written there")] = SecretStr(
        "redis://127.0.0.1:6379/0"
    )


_DATABASES = frozenset({
    "sqlite", "sqlite+aiosqlite", "postgres", "postgresql", "postgresql+asyncpg",
    "postgresql+psycopg",
})  # fmt: skip


class OnFailure(StrEnum):
    """What is kept in a conversation of a run that failed."""

    NOTHING = "nothing"
    USER = "user"
    PARTIAL = "partial"


class ConversationSettings(Section):
    """What is remembered of a conversation, and where."""

    url: Annotated[SecretStr | None, NeedsTrust("conversations are read and written there")] = (
        Field(default=None, description="the database of conversations; none keeps them in memory")
    )
    max_turns: int = Field(default=10, ge=0)
    on_failure: OnFailure = OnFailure.NOTHING
    summarize: bool = Field(default=False, description="tell the model of older turns in short")

    @field_validator("url")
    @classmethod
    def _is_database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            scheme, separator, place = value.get_secret_value().partition("://")
            if scheme not in _DATABASES or not separator or not place.strip("/"):
                raise ValueError(
                    "is no database: write it as sqlite:///file.db or "
                    "postgresql://user:password@host/database"
                )
        return value


class ToolSelection(StrEnum):
    """By what the tools of a run are chosen."""

    ALL = "all"
    KEYWORD = "keyword"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"


class ToolsSettings(Section):
    """Which tools there are, which of them are offered, and how much they may say."""

    builtin: tuple[str, ...] | None = None
    selector: ToolSelection = ToolSelection.ALL
    max_selected: int = Field(default=10, ge=1)
    keywords: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="words that ask for a tool or category, by its name"
    )
    embedding_model: str = "text-embedding-3-small"
    embedding_base_url: Annotated[
        AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")
    ] = Field(default=None, description="none: `llm.base_url`")
    max_output_chars: int = Field(default=50_000, ge=1)


class RagSettings(Section):
    """How documents are retrieved."""

    path: Annotated[Path | None, NeedsTrust("models read this file, commands write it")] = Field(
        default=None, description="the index of documents; none is off"
    )
    top_k: int = Field(default=5, ge=1)
    max_context_tokens: int = Field(default=4000, ge=1)
    retrieval_timeout_s: float = Field(default=3, gt=0)


class McpServerSettings(Section):
    """A server of tools: a command that is started here, or an address."""

    command: str | None = Field(default=None, min_length=1)
    args: Annotated[tuple[str, ...], Hidden()] = Field(default=(), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict)
    cwd: str | None = None
    url: SecretStr | None = Field(default=None, description="streamable HTTP")
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    allowed_tools: tuple[str, ...] | None = Field(default=None, description="none: all")
    pin: Path | None = Field(
        default=None, description="the file of `arc mcp pin`; only its tools are offered"
    )
    connect_timeout_s: float = Field(
        default=20, gt=0, allow_inf_nan=False, description="to connect and to list the tools"
    )

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: SecretStr | None) -> SecretStr | None:
        return _checked_address(value)

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("set either command, for a server that is started here, or url")
        strangers = (self.headers,) if self.url is None else (self.args, self.env, self.cwd)
        if any(strangers):
            raise ValueError("args, env and cwd go with command, headers go with url")
        return self


class McpSettings(Section):
    """Servers that bring tools by the Model Context Protocol, by the names they are given here."""

    servers: Annotated[
        dict[str, McpServerSettings], NeedsTrust("it is started or called, and offers tools")
    ] = Field(default_factory=dict)


class AuditSettings(Section):
    """What is written down of every run."""

    enabled: bool = False
    include_text: bool = Field(default=False, description="false: texts are hashed")


class TelemetrySettings(Section):
    """What OpenTelemetry is told."""

    metrics: bool = Field(default=False, description="figures of runs, model and tool calls")
    traces: bool = Field(default=False, description="spans of runs, model and tool calls")
    include_text: bool = Field(default=False, description="prompts and answers in the spans")


class WebhookSettings(Section):
    """Who is told of every run that has ended."""

    url: Annotated[SecretStr | None, NeedsTrust("every run is reported there")] = Field(
        default=None, description="none is off"
    )
    secret: SecretStr | None = Field(default=None, description="signs; none: unsigned")
    timeout_s: float = Field(default=5, gt=0, description="of one attempt, and of the last ones")

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: SecretStr | None) -> SecretStr | None:
        return _checked_address(value)


def _checked_address(value: SecretStr | None) -> SecretStr | None:
    if value is not None:
        parts = urlsplit(value.get_secret_value())
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("is no address: write it as https://host/path")
    return value


class Language(StrEnum):
    """A language that Arc's messages for people are written in."""

    ENGLISH = "en"
    KOREAN = "ko"


class MessagesSettings(Section):
    """What people are told."""

    language: Language = Language.ENGLISH

    @field_validator("language", mode="before")
    @classmethod
    def _lower_case(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value


class AgentSettings(BaseModel):
    """All that one run depends on."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    llm: LlmSettings = Field(default_factory=LlmSettings)
    max_tool_calls: int = Field(default=10, ge=0)
    max_tools_per_request: int = Field(default=30, ge=1)
    concurrency: ConcurrencySettings = Field(default_factory=ConcurrencySettings)
    retry: RetrySettings = Field(default_factory=RetrySettings)
    guard: GuardSettings = Field(default_factory=GuardSettings)
    response: ResponseSettings = Field(default_factory=ResponseSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    tools: ToolsSettings = Field(default_factory=ToolsSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    audit: AuditSettings = Field(default_factory=AuditSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
    webhook: WebhookSettings = Field(default_factory=WebhookSettings)
    messages: MessagesSettings = Field(default_factory=MessagesSettings)
