"""The settings of the server: where it listens, and to whom."""

from ipaddress import ip_network
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, field_validator, model_validator

from arc_core.addresses import check_http_address
from arc_core.interfaces.served_application import Caller, DecideRight
from arc_core.settings import NeedsTrust, Section

__all__ = ["ApiKey", "ServerSettings"]

_MIN_KEY_CHARS = 16
_PORTS = 65_535


def _check_host_name(text: str) -> str:
    name = text.lower().removesuffix(".")
    parts = name.removeprefix("*.").replace("-", "").replace("_", "").split(".")
    if not (name.isascii() and all(each.isalnum() for each in parts)):
        raise ValueError(
            "is not the name of a host: write agents.example, or *.agents.example for all names "
            "below it, without https:// and without a port"
        )
    return name


def _check_network(text: str) -> str:
    try:
        ip_network(text)
    except ValueError:
        raise ValueError(
            "is not an address or a network: write 10.0.0.7, or 10.0.0.0/8 with zeros behind its "
            "first 8 bits"
        ) from None
    return text


def _check_public_url(text: str) -> str:
    parts = urlsplit(check_http_address(text))
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("has a user, a query or a fragment: write https://agents.example")
    return text.rstrip("/") + "/"


class ApiKey(Section):
    """A key with which others may call, and what it is for."""

    name: str = Field(min_length=1, description="stands in logs and with decisions, not secret")
    key: SecretStr = Field(description=f"at least {_MIN_KEY_CHARS} characters")
    tenant: str | None = Field(default=None, description="none: callers name their tenant")
    users: tuple[str, ...] | None = Field(default=None, description="none: every user")
    agents: tuple[str, ...] | None = Field(default=None, description="none: every agent")
    decide: DecideRight | None = Field(
        default=None,
        description='about calls that wait: true, false, or "own" for its own runs, too; none: '
        "true for a key without users and agents",
    )
    groups: tuple[str, ...] = Field(default=(), description="that `approvals.by` may name")

    @field_validator("key")
    @classmethod
    def _is_hard_to_guess(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value()
        if len(text) < _MIN_KEY_CHARS:
            raise ValueError(f"a key has at least {_MIN_KEY_CHARS} characters; make a longer one")
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("a key is made of ASCII characters without blanks, as a header can be")
        return key

    @property
    def caller(self) -> Caller:
        """The caller that shows this key."""
        return Caller(
            name=self.name,
            tenant_id=self.tenant,
            user_ids=None if self.users is None else frozenset(self.users),
            agents=None if self.agents is None else frozenset(self.agents),
            decide=self.decide,
            groups=frozenset(self.groups),
        )


class ServerSettings(Section):
    """Where `arc serve` listens, and who may ask."""

    host: Annotated[str, NeedsTrust("who reaches this address can ask")] = "127.0.0.1"
    port: int = Field(default=8010, ge=0, le=_PORTS, description="0: any that is free")
    api_keys: Annotated[tuple[ApiKey, ...], NeedsTrust("who has one of these keys can ask")] = (
        Field(default=(), description="none: only this machine may ask")
    )
    allowed_origins: Annotated[tuple[str, ...], NeedsTrust("pages of these origins can ask")] = (
        Field(default=(), description="of other sites whose pages may ask, `https://intra.example`")
    )
    allowed_hosts: Annotated[
        tuple[Annotated[str, AfterValidator(_check_host_name)], ...],
        NeedsTrust("the server can be asked by these names"),
    ] = Field(default=(), description="names of the server besides its address, `agents.example`")
    trusted_proxies: Annotated[
        tuple[Annotated[str, AfterValidator(_check_network)], ...],
        NeedsTrust("these proxies say from where a request comes"),
    ] = Field(
        default=("127.0.0.1", "::1"),
        description="addresses or networks whose `X-Forwarded-For` and `-Proto` are believed",
    )
    public_url: Annotated[
        Annotated[str, AfterValidator(_check_public_url)] | None,
        NeedsTrust("clients are sent to this address, and its pages can ask"),
    ] = Field(default=None, description="by which clients reach it, `https://agents.example`")
    max_body_bytes: int = Field(default=1_048_576, ge=1, description="without attachments")
    shutdown_timeout_s: float = Field(
        default=30.0, ge=0, description="runs may go on so long after Ctrl-C or SIGTERM"
    )

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        for what, values in (
            ("names", [each.name for each in self.api_keys]),
            ("keys", [each.key.get_secret_value() for each in self.api_keys]),
        ):
            if len(set(values)) < len(values):
                raise ValueError(f"two api_keys have the same {what[:-1]}; make {what} unique")
        return self
