"""The settings of models: of the one in `llm`, of those in `llm.models`, and of the embedder."""

from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, SecretStr, ValidationError, model_validator

from arc_core.settings.sections import Harmless, NeedsTrust, OpenSection, Section, said_in
from arc_core.text.addresses import AddressText
from arc_core.usage import ReasoningEffort, TokenUsage

DEFAULT_MODEL = "default"
"""The name of the model that the settings have in `llm` itself, not in `llm.models`."""


_SENT_TO_HOST = "prompts and credentials are sent there"
_InstalledName = Annotated[str | None, Harmless("chooses among what is installed, by name")]
_VendorName = Annotated[str | None, Harmless("a name that the vendor knows")]
_VendorKey = Annotated[SecretStr | None, NeedsTrust("it is sent to the vendor")]
_BaseUrl = Annotated[AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")]
_OfHost = Annotated[str | None, NeedsTrust(_SENT_TO_HOST)]
_REGION = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_PROJECT = r"^[A-Za-z0-9]+([.:_-][A-Za-z0-9]+)*$"


class Price(Section):
    """The price of a million tokens of a vendor's, in any one currency.

    Attributes:
        input: Of the request, those that are written into the vendor's cache included.
        output: Of the answer, reasoning included.
        cached_input: Of the request, those that come from the vendor's cache; None: as `input`.
    """

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached_input: Decimal | None = Field(default=None, ge=0)

    def of(self, usage: TokenUsage) -> Decimal:
        """Return the cost of a call, not rounded."""
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
    provider and host, and the key only if it has the same address, too. It may have what plugins
    add to `llm`.
    """

    model_config = ConfigDict(extra="allow")

    provider: _InstalledName = None
    model: _VendorName = None
    base_url: _BaseUrl = None
    host: _OfHost = None
    region: _OfHost = Field(default=None, pattern=_REGION)
    project: _OfHost = Field(default=None, pattern=_PROJECT)
    credentials_timeout_s: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    api_key: _VendorKey = None
    reasoning: ReasoningEffort | None = None
    prompt_caching: bool | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    max_context_window_tokens: int | None = Field(default=None, ge=2)
    timeout_s: float | None = Field(default=None, gt=0, allow_inf_nan=False)
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
        "timeout_s",
        "credentials_timeout_s",
        "system_prompt",
        "reasoning",
        "prompt_caching",
        "max_attachment_bytes",
    }
)
"""The settings that an entry of `llm.models` takes from `llm` for another vendor, too."""


_OF_ONE_HOST: dict[str, Any] = {
    "api_key": None,
    "base_url": None,
    "extra_body": {},
    "project": None,
    "region": None,
}
"""The settings that an entry of `llm.models` does not take from `llm` for another host."""


class LlmSettings(OpenSection):
    """The model, and how it is asked."""

    provider: _InstalledName = None
    model: _VendorName = None
    base_url: _BaseUrl = None
    host: _OfHost = Field(
        default=None, description="who serves the model: none, or empty, is the vendor itself"
    )
    region: _OfHost = Field(default=None, pattern=_REGION, description="of the host")
    project: _OfHost = Field(default=None, pattern=_PROJECT, description="of the host")
    credentials_timeout_s: float = Field(
        default=10, gt=0, allow_inf_nan=False, description="for a host's credentials to be there"
    )
    temperature: float | None = Field(default=None, ge=0)
    max_output_tokens: int = Field(default=4096, ge=1)
    max_context_window_tokens: int = Field(default=128_000, ge=2)
    max_reply_bytes: int = Field(
        default=33_554_432, ge=1, description="of one reply of a model or MCP server, decompressed"
    )
    timeout_s: float = Field(
        default=60,
        gt=0,
        allow_inf_nan=False,
        description="of silence, to a reply's first byte and between its bytes",
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
    api_key: _VendorKey = Field(default=None, description="goes before the vendor's variable")
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
        said, kept = said_in(entry), dict(self)
        if said.get("provider", self.provider) != self.provider:
            kept = {name: value for name, value in kept.items() if name in _OF_ALL_VENDORS}
        elif said.get("host", self.host) != self.host:
            kept = {**kept, **_OF_ONE_HOST}
        elif "base_url" in said:
            kept = {**kept, "api_key": None, "extra_body": {}}
        if said.get("model", self.model) != self.model:
            kept = {**kept, "price": None}
        return type(self).model_validate({**kept, **said, "models": {}, "fallbacks": ()})

    def can_do_without(self, entry: str) -> bool:
        """Say whether another model of the settings falls back on an entry of `models`."""
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


class EmbedderSettings(OpenSection):
    """The embedding model: none unless a provider is named."""

    provider: _InstalledName = None
    model: _VendorName = None
    dimensions: int | None = Field(
        default=None, ge=1, description="of the vectors; none: those of a model that is known"
    )
    base_url: Annotated[
        AddressText | None, NeedsTrust("texts and the vendor's key are sent there")
    ] = None
    api_key: _VendorKey = Field(default=None, description="goes before the vendor's variable")
    batch_size: int = Field(default=128, ge=1, le=128, description="texts of one request")
    timeout_s: float = Field(
        default=30, gt=0, allow_inf_nan=False, description="of silence of the vendor"
    )
    price: Annotated[Decimal | None, Harmless("a number")] = Field(
        default=None, ge=0, allow_inf_nan=False, description="of a million tokens"
    )


def _flaw_of_model(name: str, error: ValidationError) -> str:
    """The problem of an entry of `models`; shows no value, since it may be a secret."""
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    key = ".".join(map(str, ("models", name, *problem["loc"])))
    if problem["type"] == "extra_forbidden":
        return (
            f"{key} is not a setting of a model; known are {', '.join(ModelSettings.model_fields)}"
        )
    return f"{key}: {problem['msg'].removeprefix('Value error, ')}"
