"""Settings of credentials, and of the services that people log in to."""

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, SecretStr, field_validator, model_validator

from arc_core.settings import AddressText, Harmless, NeedsTrust, Section
from arc_core.text.address_rules import is_loopback
from arc_core.text.addresses import check_database_address

KEY_BYTES = 32

_DATABASE = check_database_address(
    "sqlite", "sqlite+aiosqlite", "postgres", "postgresql", "postgresql+asyncpg",
    "postgresql+psycopg",
)  # fmt: skip
_SENT_THERE = NeedsTrust("people log in there, and tokens are sent there")


class CredentialsSettings(Section):
    """The credentials with which tools act for people."""

    backend: Annotated[str | None, Harmless("chooses among what is installed, by name")] = Field(
        default=None, description="`sql` or, for tests, `memory`; none: no tool acts for a user"
    )
    url: Annotated[
        SecretStr | None, NeedsTrust("credentials are read and written there"), _DATABASE
    ] = Field(default=None, description="the database; none is that of the conversations")
    key: Annotated[
        SecretStr | tuple[SecretStr, ...], NeedsTrust("credentials are encrypted with it")
    ] = Field(
        default=(),
        description="32 bytes in base64, or a list of such keys, of which the first encrypts",
    )
    state_s: float = Field(
        default=600, gt=0, le=86_400, description="a login that was begun is to end within"
    )

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys, the one that encrypts first."""
        given = self.key if isinstance(self.key, tuple) else (self.key,)
        return tuple(base64.b64decode(each.get_secret_value()) for each in given)

    @model_validator(mode="after")
    def _are_keys(self) -> Self:
        try:
            lengths = {len(each) for each in self.keys}
        except (binascii.Error, ValueError):
            lengths = {0}
        if lengths - {KEY_BYTES}:
            raise ValueError(
                "key is not 32 bytes in base64: make one by "
                '`python -c "import base64, secrets; '
                'print(base64.b64encode(secrets.token_bytes(32)).decode())"`'
            )
        return self


class ServiceSettings(Section):
    """A service at which tools act: for each user, for a tenant, or for the application."""

    mode: Literal["user", "tenant", "application"] = Field(
        default="user", description="whose the credential is"
    )
    authorize_url: Annotated[AddressText | None, _SENT_THERE] = Field(
        default=None, description="where people log in"
    )
    token_url: Annotated[AddressText | None, _SENT_THERE] = Field(
        default=None, description="where tokens are had"
    )
    client_id: Annotated[str | None, Harmless("a name that the service knows")] = None
    client_secret: Annotated[SecretStr | None, NeedsTrust("it is sent to the service")] = None
    client_auth: Literal["basic", "post"] = Field(
        default="basic", description="how the secret is sent: in a header, or in the body"
    )
    scopes: Annotated[tuple[str, ...], NeedsTrust("people are asked to allow them")] = ()
    issuer: Annotated[str | None, Harmless("only compared")] = Field(
        default=None, description="the `iss` of the service's answers, which they then must have"
    )
    token: Annotated[SecretStr | None, NeedsTrust("tools send it to the service")] = Field(
        default=None, description="of the application, which has no login"
    )

    @field_validator("authorize_url", "token_url")
    @classmethod
    def _is_safe(cls, value: str | None) -> str | None:
        if value is not None and not _is_safe(value):
            raise ValueError(
                "has to begin with https://, since secrets are sent there; http:// is for servers "
                "of this machine, and an address has no user and no fragment"
            )
        return value

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        is_static = self.mode == "application"
        needed = ("token",) if is_static else ("authorize_url", "token_url", "client_id")
        for name in needed:
            if getattr(self, name) is None:
                raise ValueError(f'{name} is missing, which the mode "{self.mode}" needs')
        if self.token is not None and not is_static:
            raise ValueError('token is of the mode "application" alone: remove it, or set mode')
        return self


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    if "@" in parts.netloc or parts.fragment:
        return False
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


class ServicesSettings(Section):
    """The services by their names: `[services.github]`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, ServiceSettings] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def by_name(self) -> Mapping[str, ServiceSettings]:
        """Each service by its name."""
        found: dict[str, Any] | None = self.__pydantic_extra__
        return found or {}
