"""The settings of MCP servers."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from arc_core.settings import Harmless, Hidden, NeedsTrust, SecretAddress, Section

LogLevel = Literal[
    "off", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]


_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_CREDENTIAL = re.compile(r"\$\{credential:([^{}]++)\}")
"""A credential of the user in a value: `${credential:github}`."""


def _read(value: SecretStr) -> str:
    return value.get_secret_value()


def _find_services(values: Mapping[str, SecretStr]) -> tuple[str, ...]:
    texts = map(_read, values.values())
    return tuple(dict.fromkeys(name for text in texts for name in _CREDENTIAL.findall(text)))


class McpServerSettings(Section):
    """A server of tools: a command that is started here, or an address."""

    command: str | None = Field(default=None, min_length=1)
    args: Annotated[tuple[str, ...], Hidden()] = Field(default=(), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict)
    cwd: str | None = None
    url: SecretAddress | None = Field(default=None, description="streamable HTTP")
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    auth: Literal["none", "header", "oauth"] = Field(
        default="none", description="`oauth`: each user logs in, and is called with their token"
    )
    login: Literal["first_use", "at_start"] = Field(
        default="first_use",
        description="`at_start`: users without a token are asked before the first turn of a run",
    )
    client_id: Annotated[str | None, Harmless("a name that the server knows")] = Field(
        default=None, description="of this application there; none: it is registered by itself"
    )
    client_secret: SecretStr | None = None
    scopes: tuple[str, ...] = Field(
        default=(), description="people are asked to allow; none: those that the server wants"
    )
    issuer: str | None = Field(
        default=None, description="the authorization server; none: the one that the server names"
    )
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
    call_timeout_s: _Seconds | None = Field(
        default=None, description="of its tools, tasks too; none: `concurrency.tool_call_timeout_s`"
    )
    connect_timeout_s: _Seconds = Field(default=20, description="to connect and to list the tools")

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

    @model_validator(mode="after")
    def _has_owners(self) -> Self:
        names = {name.lower() for name in self.headers}
        if self.auth == "oauth" and (self.url is None or "authorization" in names):
            raise ValueError('auth = "oauth" goes with url, and without a header Authorization')
        if self.auth == "header" and not names:
            raise ValueError('auth = "header" goes with headers')
        if self.auth != "oauth" and (self.client_id or self.scopes or self.issuer):
            raise ValueError('client_id, scopes and issuer go with auth = "oauth"')
        if self.login == "at_start" and not self.login_services(own="itself"):
            raise ValueError(
                'login = "at_start" goes with auth = "oauth", or a credential in headers or env'
            )
        if self.env_services and not self.per_user:
            raise ValueError(
                "a credential in env belongs to one user, and all users share this process; set "
                "per_user = true, or take it out"
            )
        return self

    @property
    def env_services(self) -> tuple[str, ...]:
        """The services whose credentials a process gets."""
        return _find_services(self.env)

    @property
    def header_services(self) -> tuple[str, ...]:
        """The services whose credentials are sent with each request."""
        return _find_services(self.headers)

    def login_services(self, *, own: str) -> tuple[str, ...]:
        """Return the services for whose credentials users log in; `own` is the server's."""
        services = (*self.env_services, *self.header_services)
        return (own, *services) if self.auth == "oauth" else services

    @property
    def place(self) -> str:
        """The address of it, or the command that starts it."""
        if self.url is not None:
            return self.url.get_secret_value()
        return "\0".join((self.command or "", *self.args))

    def fill_in(self, tokens: Mapping[str, str], *, own: str) -> Self:
        """Return the settings for one user, with their tokens for services and for the server."""

        def fill(values: Mapping[str, SecretStr]) -> dict[str, SecretStr]:
            return {
                name: SecretStr(_CREDENTIAL.sub(lambda found: tokens[found[1]], _read(value)))
                for name, value in values.items()
            }

        headers = fill(self.headers)
        if own in tokens:
            headers["Authorization"] = SecretStr(f"Bearer {tokens[own]}")
        return self.model_copy(update={"env": fill(self.env), "headers": headers})

    def for_no_user(self) -> Self:
        """Return the settings without what needs the credential of a user."""
        env, headers = (
            {name: value for name, value in values.items() if not _CREDENTIAL.search(_read(value))}
            for values in (self.env, self.headers)
        )
        return self.model_copy(update={"env": env, "headers": headers})

    @property
    def has_owners(self) -> bool:
        """True if each user has a connection to it."""
        return self.per_user or self.auth == "oauth" or bool(self.header_services)


class McpSettings(Section):
    """Servers that bring tools by the Model Context Protocol, by the names they are given here."""

    servers: Annotated[
        dict[str, McpServerSettings], NeedsTrust("it is started or called, and offers tools")
    ] = Field(default_factory=dict)
    lists: Annotated[Path | None, NeedsTrust("what tools say of themselves is read there")] = Field(
        default=None, description="a folder for the last lists of servers that want a login"
    )
    idle_s: _Seconds = Field(default=300, description="a user's process or connection ends then")
    elicitation_hold_s: float = Field(
        default=30,
        ge=0,
        allow_inf_nan=False,
        description="a call in which an older server asks the user waits so long for the answer",
    )
    max_connections: int = Field(default=100, ge=1, description="of users, at once")
