"""The settings that the engine and every implementation of an interface read, a class per section.

`arc_autoconfig.ArcSettings` is `AgentSettings` plus the sections of the wiring and of plugins,
filled from files, environment and arguments. A plugin brings a section, or adds settings to one of
these, by the entry points of the group `arc.settings`. A component takes its section as a
constructor parameter. Durations are seconds, sizes are characters or tokens as named.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from arc_core.addresses import AddressText
from arc_core.command import ReasoningEffort
from arc_core.setting_marks import Harmless, Hidden, NeedsTrust
from arc_core.usage import TokenUsage

__all__ = [
    "DEFAULT_MODEL",
    "AddressText",
    "AgentSettings",
    "CacheScope",
    "CacheSettings",
    "CircuitSettings",
    "ConcurrencySettings",
    "ConversationSettings",
    "GuardSettings",
    "Harmless",
    "Hidden",
    "LlmSettings",
    "ModelSettings",
    "NeedsTrust",
    "OnFailure",
    "OpenSection",
    "Price",
    "RagPlace",
    "RagSettings",
    "ResponseSettings",
    "RetrySettings",
    "SecretAddress",
    "Section",
    "ToolsSettings",
    "Trim",
]


DEFAULT_MODEL = "default"
"""How the model is called that the settings name in `llm` itself, not in `llm.models`."""


class Section(BaseModel):
    """A frozen group of settings; unknown names are errors."""

    # Sections are mostly used joined with others, whose class is then the only one to be built.
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    def overlay(self, entry: "Section") -> Self:
        """This section with what an entry says in its place; what is None there is left open.

        The wiring asks for it where a slot has several components from one section: see
        `arc_core.places.slot`.

        Args:
            entry: Of a table of the section; its settings have the names of the section's.

        Raises:
            ValidationError: The entry says what the section does not have.
        """
        return type(self).model_validate({**dict(self), **_said_in(entry)})

    def can_do_without(self, entry: str) -> bool:
        """Whether an application may start if the component of an entry cannot.

        Args:
            entry: Its name in the table of the section.
        """
        del entry
        return False


def _said_in(entry: BaseModel) -> dict[str, Any]:
    return {name: value for name, value in entry if value is not None}


class OpenSection(Section):
    """A section to which plugins add settings.

    Type checkers know only what the class itself declares; what a plugin adds is `Any` to them.
    The plugin's own class, `settings.section(RedisCacheSettings)`, has the types.
    """

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name)  # type: ignore[misc]


def _http_address(value: SecretStr) -> SecretStr:
    parts = urlsplit(value.get_secret_value())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("is not an address: write it as https://host/path")
    return value


SecretAddress = Annotated[SecretStr, AfterValidator(_http_address)]
"""The type of a setting that is an HTTP address which may hold a password or token."""


class Price(Section):
    """What a vendor bills for a million tokens, in any one currency.

    Attributes:
        input: Of the request, those that are written into the vendor's cache included.
        output: Of the answer, reasoning included.
        cached_input: Of the request, those that come from the vendor's cache; None: as `input`.
    """

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached_input: Decimal | None = Field(default=None, ge=0)

    def of(self, usage: TokenUsage) -> Decimal:
        """What a call has cost, not rounded."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        billed = (
            (usage.prompt_tokens - cached) * self.input
            + cached * cached_price
            + usage.completion_tokens * self.output
        )
        return billed / 1_000_000


class ModelSettings(Section):
    """One model of several; what it leaves open it takes from `llm`.

    What belongs to a vendor, such as the model and the key, it takes only if it has the same
    provider, and the key only if it has the same address, too. It may have what plugins add to
    `llm`.
    """

    model_config = ConfigDict(extra="allow")

    provider: Annotated[str | None, Harmless("chooses among what is installed, by name")] = None
    model: Annotated[str | None, Harmless("a name that the vendor knows")] = None
    base_url: Annotated[
        AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")
    ] = None
    api_key: Annotated[SecretStr | None, NeedsTrust("it is sent to the vendor")] = None
    reasoning: ReasoningEffort | None = None
    prompt_caching: bool | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    max_context_window_tokens: int | None = Field(default=None, ge=2)
    options: Annotated[
        dict[str, Any] | None,
        Harmless("parameters of requests, of which the vendor's plugin has a list"),
    ] = None
    extra_body: Annotated[dict[str, Any] | None, NeedsTrust("it goes into every request")] = None
    price: Annotated[Price | None, Harmless("numbers")] = None
    fallbacks: Annotated[
        tuple[str, ...] | None, Harmless("chooses among the models of the settings, by name")
    ] = None


_OF_ALL_VENDORS = frozenset(
    {
        "temperature",
        "max_output_tokens",
        "max_context_window_tokens",
        "max_reply_bytes",
        "system_prompt",
        "reasoning",
        "prompt_caching",
        "max_attachment_bytes",
    }
)
"""What an entry of `llm.models` takes from `llm` for another vendor, too."""


class LlmSettings(OpenSection):
    """Which model, and how it is asked."""

    provider: Annotated[str | None, Harmless("chooses among what is installed, by name")] = None
    model: Annotated[str | None, Harmless("a name that the vendor knows")] = None
    base_url: Annotated[
        AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")
    ] = None
    temperature: float | None = Field(default=None, ge=0)
    max_output_tokens: int = Field(default=4096, ge=1)
    max_context_window_tokens: int = Field(default=128_000, ge=2)
    max_reply_bytes: int = Field(
        default=33_554_432, ge=1, description="of one reply of a model or MCP server, decompressed"
    )
    system_prompt: Annotated[str, Harmless("a text whose effect the user sees in the answers")] = (
        "You are a helpful assistant."
    )

    reasoning: ReasoningEffort | None = Field(
        default=None, description="how much to think; none leaves it to the vendor"
    )
    prompt_caching: bool = Field(
        default=True, description="ask vendors to keep the beginnings of requests"
    )
    max_attachment_bytes: int = Field(
        default=20_971_520, ge=0, description="of all attachments of a request together"
    )
    api_key: Annotated[SecretStr | None, NeedsTrust("it is sent to the vendor")] = Field(
        default=None, description="goes before the vendor's variable"
    )
    options: Annotated[
        dict[str, Any], Harmless("parameters of requests, of which the vendor's plugin has a list")
    ] = Field(default_factory=dict)
    extra_body: Annotated[dict[str, Any], NeedsTrust("it goes into every request")] = Field(
        default_factory=dict
    )
    price: Annotated[Price | None, Harmless("numbers")] = Field(
        default=None, description="of a million tokens of the model"
    )
    fallbacks: Annotated[
        tuple[str, ...], Harmless("chooses among the models of the settings, by name")
    ] = Field(default=(), description="models that are asked in turn if this one is down")
    models: dict[str, ModelSettings] = Field(
        default_factory=dict, description="further models, by the names they are asked for by"
    )

    def overlay(self, entry: Section) -> Self:
        """The settings of an entry of `models`, without further ones and without fallbacks.

        Raises:
            ValidationError: The entry says what this section does not have.
        """
        said, kept = _said_in(entry), dict(self)
        if said.get("provider", self.provider) != self.provider:
            kept = {name: value for name, value in kept.items() if name in _OF_ALL_VENDORS}
        elif "base_url" in said:
            kept = {**kept, "api_key": None, "extra_body": {}}
        if said.get("model", self.model) != self.model:
            kept = {**kept, "price": None}
        return type(self).model_validate({**kept, **said, "models": {}, "fallbacks": ()})

    def can_do_without(self, entry: str) -> bool:
        """Whether another model of the settings falls back on an entry of `models`."""
        return any(entry in self.fallbacks_of(each) for each in (DEFAULT_MODEL, *self.models))

    def fallbacks_of(self, name: str) -> tuple[str, ...]:
        """The names of the models that a model falls back on itself, in their order.

        Args:
            name: An entry of `models`, or `default`.
        """
        if name == DEFAULT_MODEL:
            return self.fallbacks
        entry = self.models.get(name)
        return () if entry is None else entry.fallbacks or ()

    @model_validator(mode="after")
    def _models_are_whole(self) -> Self:
        for name, entry in self.models.items():
            if name == DEFAULT_MODEL:
                raise ValueError(
                    f"models.{name} has the name of the model that stands in llm itself: "
                    "choose another name"
                )
            try:
                self.overlay(entry)
            except ValidationError as error:
                raise ValueError(_flaw_of_model(name, error)) from None
        return self

    @model_validator(mode="after")
    def _fallbacks_end(self) -> Self:
        if "fallbacks" in self.model_fields_set or self.models:
            for name in (DEFAULT_MODEL, *self.models):
                self._check_fallbacks((name,))
        return self

    def _check_fallbacks(self, path: tuple[str, ...]) -> None:
        """Check that what a path of fallbacks leads to exists and does not lead back."""
        known = (DEFAULT_MODEL, *self.models)
        for name in self.fallbacks_of(path[-1]):
            place = "fallbacks" if path[-1] == DEFAULT_MODEL else f"models.{path[-1]}.fallbacks"
            if name not in known:
                raise ValueError(f"{place} names {name!r}; known are {', '.join(known)}")
            if name in path:
                circle = " → ".join((*path[path.index(name) :], name))
                raise ValueError(f"{place} leads in a circle: {circle}")
            self._check_fallbacks((*path, name))

    @model_validator(mode="after")
    def _window_exceeds_output(self) -> Self:
        if self.max_context_window_tokens <= self.max_output_tokens:
            msg = (
                f"max_context_window_tokens ({self.max_context_window_tokens}) must be larger than "
                f"max_output_tokens ({self.max_output_tokens}): raise the one or lower the other"
            )
            raise ValueError(msg)
        return self


def _flaw_of_model(name: str, error: ValidationError) -> str:
    """What is wrong with an entry of `models`; shows no value, since it may be a secret."""
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    key = ".".join(map(str, ("models", name, *problem["loc"])))
    if problem["type"] == "extra_forbidden":
        return (
            f"{key} is not a setting of a model; known are {', '.join(ModelSettings.model_fields)}"
        )
    return f"{key}: {problem['msg'].removeprefix('Value error, ')}"


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


class CircuitSettings(Section):
    """When a model that fails is not asked for a while."""

    failure_threshold: int = Field(
        default=5, ge=1, description="calls that failed, after their retries, by the vendor's fault"
    )
    window_s: float = Field(default=30, gt=0, description="in which they failed")
    open_s: float = Field(default=30, ge=0, description="until one call tries again")


class GuardSettings(OpenSection):
    """Which prompts are let in."""

    enabled: bool = True
    forward_normalized: bool = True


class ResponseSettings(OpenSection):
    """What happens to an answer."""

    filters_enabled: bool = True


class CacheScope(StrEnum):
    """Who shares an answer."""

    USER = "user"
    """Runs of one user of one tenant."""

    TENANT = "tenant"
    GLOBAL = "global"


class CacheSettings(OpenSection):
    """When an answer is given again without asking the model."""

    enabled: bool = False
    scope: CacheScope = CacheScope.USER
    ttl_minutes: float = Field(default=60, gt=0, allow_inf_nan=False)
    cacheable_temperature: float = Field(default=0.0, ge=0)
    timeout_s: float = Field(
        default=0.5, gt=0, description="what the cache may cost one run at most"
    )


class OnFailure(StrEnum):
    """What is kept in a conversation of a run that failed."""

    NOTHING = "nothing"
    USER = "user"
    PARTIAL = "partial"


class Trim(StrEnum):
    """Where what is sent of a conversation begins."""

    STEPS = "steps"
    """At the same turn for half a window, so that requests begin alike."""

    EXACT = "exact"
    """At the last turns that are wanted."""


class ConversationSettings(OpenSection):
    """What is remembered of a conversation."""

    on_failure: OnFailure = OnFailure.NOTHING
    keep_tool_calls: bool = Field(default=False, description="keep tool calls with their results")
    max_attachment_bytes: int = Field(
        default=1_048_576, ge=0, description="of an attachment that is kept; a larger one is named"
    )
    trim: Trim = Trim.STEPS


class ToolsSettings(OpenSection):
    """Which tools there are, and how much they may say."""

    builtin: Annotated[
        tuple[str, ...] | None, Harmless("chooses among what is installed, by name")
    ] = None
    max_output_chars: int = Field(default=50_000, ge=1)


class RagPlace(StrEnum):
    """Where retrieved documents stand in a request."""

    USER = "user"
    """With the question they were retrieved for, so that requests begin alike."""

    SYSTEM = "system"


class RagSettings(OpenSection):
    """How documents are retrieved."""

    place: RagPlace = RagPlace.USER
    top_k: int = Field(default=5, ge=1)
    max_context_tokens: int = Field(default=4000, ge=1)
    retrieval_timeout_s: float = Field(default=3, gt=0)


class AgentSettings(BaseModel):
    """All that one run depends on."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    llm: LlmSettings = Field(default_factory=LlmSettings)
    max_tool_calls: int = Field(default=10, ge=0)
    max_tools_per_request: int = Field(default=30, ge=1)
    concurrency: ConcurrencySettings = Field(default_factory=ConcurrencySettings)
    retry: RetrySettings = Field(default_factory=RetrySettings)
    circuit: CircuitSettings = Field(default_factory=CircuitSettings)
    guard: GuardSettings = Field(default_factory=GuardSettings)
    response: ResponseSettings = Field(default_factory=ResponseSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    tools: ToolsSettings = Field(default_factory=ToolsSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
