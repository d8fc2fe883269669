"""The sections of the settings that the wiring itself reads."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from arc_core.settings import AgentsSettings, Harmless, LimitsSettings, NeedsTrust, Section
from arc_core.usage import ReasoningEffort


class PluginsSettings(Section):
    """The choice of plugins.

    Attributes:
        autoload: Whether every installed plugin is loaded; otherwise only `enabled` and Arc's own.
        strict: Whether a broken plugin stops start-up instead of being left out.
        enabled: Names of plugins to load although `autoload` is off.
        disabled: Names of plugins that are not even imported.
        required: Names of plugins without which nothing starts.
        load: Places of code that is not packaged: `my_app.policies`, `my_app.policies:Budget`.
        settings: The plugins' own sections, by the plugin's name.
    """

    autoload: bool = True
    strict: bool = False
    enabled: Annotated[tuple[str, ...], Harmless("chooses among what is installed, by name")] = ()
    disabled: Annotated[tuple[str, ...], Harmless("leaves out what is installed")] = ()
    required: Annotated[tuple[str, ...], Harmless("stops the start")] = ()
    load: Annotated[tuple[str, ...], NeedsTrust("this code is run")] = ()
    settings: Annotated[
        dict[str, dict[str, Any]], NeedsTrust("a plugin may call it, or run it")
    ] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _required_is_not_disabled(self) -> Self:
        both = sorted(set(self.required) & set(self.disabled))
        if both:
            msg = f"{', '.join(both)} cannot be required and disabled at once"
            raise ValueError(msg)
        return self


class ComponentsSettings(Section):
    """The choice of components: those that fill slots, and those that are left out.

    Every other key is the name of a slot, and its value the name of the component that fills it.

    Attributes:
        exclude: Components of contributions that are left out: `guards:input_validation`.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    exclude: tuple[str, ...] = ()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The name of the component for each slot that is set, by the slot's name."""
        return dict(self.model_extra or {})

    @model_validator(mode="before")
    @classmethod
    def _plain_names(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        return {str(name).replace("-", "_"): value for name, value in values.items()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattr__(name)  # type: ignore[misc]
        return (self.model_extra or {}).get(name)


class AgentSection(Section):
    """An agent that needs no code: `[agents.<name>]`."""

    description: Annotated[str, Harmless("a text for people and models")] = ""
    examples: Annotated[tuple[str, ...], Harmless("texts for people")] = Field(
        default=(), description="questions that people may begin with"
    )
    instructions: Annotated[
        str | None, Harmless("a text whose effect the user sees in the answers")
    ] = Field(default=None, description="none: `llm.system_prompt`")
    instructions_file: Annotated[
        Path | None, NeedsTrust("this file is read and sent to the vendor")
    ] = Field(default=None, description="read at the start; beside the file that names it")
    prompt: Annotated[str | None, Harmless("a name at a server that must be trusted itself")] = (
        Field(default=None, description="in their place, of an MCP server: `mcp:shop/refunds`")
    )
    model: Annotated[str | None, Harmless("a name that the vendor knows")] = Field(
        default=None, description="none: `llm.model`"
    )
    temperature: Annotated[float | None, Harmless("changes how a model answers")] = Field(
        default=None, ge=0, description="none: `llm.temperature`"
    )
    reasoning: Annotated[ReasoningEffort | None, Harmless("changes how a model answers")] = Field(
        default=None, description="none: `llm.reasoning`"
    )
    max_output_tokens: Annotated[int | None, Harmless("a bound of each answer")] = Field(
        default=None, ge=1, description="none: `llm.max_output_tokens`"
    )
    tools: Annotated[tuple[str, ...] | None, Harmless("chooses among what is wired, by name")] = (
        Field(default=None, description="names and patterns; none: all")
    )
    output: Annotated[str | None, NeedsTrust("its module is imported")] = Field(
        default=None, description="the type of answers, `my_app:Refund`"
    )
    limits: LimitsSettings = Field(default_factory=LimitsSettings)
    delegates: Annotated[tuple[str, ...], Harmless("chooses among agents, by name")] = Field(
        default=(), description="names of the agents that it may ask"
    )
    handoffs: Annotated[tuple[str, ...], Harmless("chooses among agents, by name")] = Field(
        default=(), description="names of the agents that it may hand over to"
    )

    @model_validator(mode="after")
    def _has_one_text(self) -> Self:
        given = (self.instructions, self.instructions_file, self.prompt)
        if sum(each is not None for each in given) > 1:
            raise ValueError(
                "instructions, instructions_file and prompt exclude each other: keep one"
            )
        return self


class AgentTables(AgentsSettings):
    """Bounds on agents that ask others; every other key is an agent, `[agents.<name>]`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, AgentSection] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def by_name(self) -> Mapping[str, AgentSection]:
        """The agents."""
        return dict(self.model_extra or {})


class LogLevel(StrEnum):
    """From which severity on log records are written."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class LogFormat(StrEnum):
    """The form of log records."""

    CONSOLE = "console"
    JSON = "json"


class LoggingSettings(Section):
    """Logging to standard error, if the application has none of its own."""

    level: LogLevel = LogLevel.INFO
    format: LogFormat = LogFormat.CONSOLE

    @field_validator("level", mode="before")
    @classmethod
    def _upper_case(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value
