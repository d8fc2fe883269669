"""The settings of MCP servers."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from arc_core.settings import Hidden, NeedsTrust, SecretAddress, Section

LogLevel = Literal[
    "off", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]


class McpServerSettings(Section):
    """A server of tools: a command that is started here, or an address."""

    command: str | None = Field(default=None, min_length=1)
    args: Annotated[tuple[str, ...], Hidden()] = Field(default=(), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict)
    cwd: str | None = None
    url: SecretAddress | None = Field(default=None, description="streamable HTTP")
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    allowed_tools: tuple[str, ...] | None = Field(default=None, description="none: all")
    pin: Path | None = Field(
        default=None, description="the file of `arc mcp pin`; only its tools are offered"
    )
    per_user: bool = Field(default=False, description="a process for each user, of a command")
    elicitation: bool = Field(
        default=True, description="it may ask the user of a run during a call"
    )
    sampling: bool = Field(default=False, description="it may have a model answer during a call")
    instructions: bool = Field(
        default=False, description="what it says of its use stands in the system prompt"
    )
    log_level: LogLevel = Field(
        default="info", description="of what it says during a call; those who read events see it"
    )
    call_timeout_s: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="of its tools, tasks too; none: `concurrency.tool_call_timeout_s`",
    )
    connect_timeout_s: float = Field(
        default=20, gt=0, allow_inf_nan=False, description="to connect and to list the tools"
    )

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("set either command, for a server that is started here, or url")
        strangers = (self.headers,) if self.url is None else (self.args, self.env, self.cwd)
        if self.per_user and self.command is None:
            raise ValueError("per_user goes with command: an address is shared by all users")
        if any(strangers):
            raise ValueError("args, env and cwd go with command, headers go with url")
        return self


class McpSettings(Section):
    """Servers that bring tools by the Model Context Protocol, by the names they are given here."""

    servers: Annotated[
        dict[str, McpServerSettings], NeedsTrust("it is started or called, and offers tools")
    ] = Field(default_factory=dict)
    idle_s: float = Field(
        default=300, gt=0, allow_inf_nan=False, description="a user's process ends after that"
    )
    elicitation_hold_s: float = Field(
        default=30,
        ge=0,
        allow_inf_nan=False,
        description="a call in which an older server asks the user waits so long for the answer",
    )
    max_connections: int = Field(default=100, ge=1, description="processes of users, at once")
