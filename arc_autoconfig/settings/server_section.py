"""The settings of the server: where it listens, and to whom."""

import hmac
import os
import tomllib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from ipaddress import ip_network
from pathlib import Path
from string import Formatter
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from arc_autoconfig.errors import ComponentError
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger
from arc_core.runs.callers import Caller, DecideRight
from arc_core.settings import Harmless, NeedsTrust, Section, ServerAddressSettings
from arc_core.text.addresses import check_http_address

_MIN_KEY_CHARS = 16
_PORTS = 65_535


def _check_gaps(text: str) -> str:
    try:
        gaps = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise ValueError(f"{error}; write {{{{ for a brace") from None
    if unknown := sorted(gaps - {"run_id", "calls"}):
        raise ValueError(f"there is no {{{unknown[0]}}}; it may have {{run_id}} and {{calls}}")
    return text


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
    instructions: bool | None = Field(
        default=None,
        description="its system and developer messages replace an agent's instructions; none: true "
        "for a key without users and agents",
    )
    records: bool | None = Field(
        default=None,
        description="it may list runs and look at their steps; none: true for a key without users "
        "and agents",
    )

    @field_validator("key")
    @classmethod
    def _is_hard_to_guess(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value()
        if len(text) < _MIN_KEY_CHARS:
            raise ValueError(f"a key has at least {_MIN_KEY_CHARS} characters; make a longer one")
        if text.startswith("${"):
            raise ValueError("a variable is put in the place of ${…} in the settings alone")
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
            instructions=self.instructions,
            records=self.records,
        )


def check_keys_differ(keys: Sequence[ApiKey]) -> None:
    """Refuse two keys that are, or are called, the same, by a ValueError."""
    for what, values in (
        ("names", [each.name for each in keys]),
        ("keys", [each.key.get_secret_value() for each in keys]),
    ):
        if len(set(values)) < len(values):
            raise ValueError(f"two api_keys have the same {what[:-1]}; make {what} unique")


class ServerSettings(ServerAddressSettings):
    """The address at which `arc serve` listens, and the callers that may ask."""

    host: Annotated[str, NeedsTrust("who reaches this address can ask")] = "127.0.0.1"
    port: int = Field(default=8010, ge=0, le=_PORTS, description="0: any that is free")
    api_keys: Annotated[tuple[ApiKey, ...], NeedsTrust("who has one of these keys can ask")] = (
        Field(default=(), description="none: only this machine may ask")
    )
    api_keys_file: Annotated[Path | None, NeedsTrust("who has a key in this file can ask")] = Field(
        default=None, description="TOML with more `[[api_keys]]`, taken up when it changes"
    )
    waiting_message: Annotated[
        str, AfterValidator(_check_gaps), Harmless("callers read it, and nothing else")
    ] = Field(
        default="The run {run_id} waits for a person, who has to approve or deny: {calls}",
        description="said to callers in the place of an answer; may have `{run_id}` and `{calls}`",
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
    max_body_items: int = Field(default=20_000, ge=1, description="values in a body of JSON")
    access_log: bool = Field(default=False, description="a line for every request")
    max_connections: int = Field(default=1_000, ge=1, description="of `arc serve`, at once")
    receive_timeout_s: float = Field(
        default=30.0, gt=0, description="for the head of a request, and for its body"
    )
    shutdown_timeout_s: float = Field(
        default=30.0, ge=0, description="runs may go on so long after Ctrl-C or SIGTERM"
    )

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        check_keys_differ(self.api_keys)
        return self


logger = get_logger("server")

_MAX_BYTES = 4_194_304
_SETTING = "server.api_keys_file"


class _KeysFile(Section):
    """The content of the file."""

    api_keys: tuple[ApiKey, ...] = ()

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        check_keys_differ(self.api_keys)
        return self


class KnownKeys:
    """Finds callers by their keys and their names, in the settings and the file they name."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings, self._file = settings, settings.api_keys_file
        self._seen: tuple[int, ...] | None = None
        self._callers: list[tuple[bytes, Caller]] = []
        self._use(())
        if self._file is not None:
            self._seen = _read_state(self._file)
            self._use(_read(self._file))

    def find(self, key: str) -> Caller | None:
        """Return who shows a key; takes as long for a wrong one."""
        self._look()
        digest = sha256(key.encode("latin-1", "replace")).digest()
        found = None
        for known, caller in self._callers:  # all of them, so that the time tells nothing
            if hmac.compare_digest(known, digest):
                found = caller
        return found

    def find_by_name(self, name: str) -> Caller | None:
        """Return the caller whose key has a name."""
        self._look()
        return next((caller for _, caller in self._callers if caller.name == name), None)

    def _look(self) -> None:
        """Read the file again if it is another one."""
        if self._file is None or (state := _read_state(self._file)) == self._seen:
            return
        self._seen = state
        try:
            self._use(_read(self._file))
        except ConfigurationError as error:
            logger.error(  # noqa: TRY400 -- a traceback would say no more
                "the keys were not taken up, and those that were read last stay", problem=str(error)
            )
        else:
            logger.info("the keys were taken up anew", file=str(self._file))

    def _use(self, keys: Iterable[ApiKey]) -> None:
        together = (*self._settings.api_keys, *keys)
        try:
            check_keys_differ(together)
        except ValueError as error:
            raise _make_error(str(error)) from None
        self._callers = [
            (sha256(each.key.get_secret_value().encode()).digest(), each.caller)
            for each in together
        ]


def _read_state(file: Path) -> tuple[int, ...] | None:
    """Return values that change with the file; None if there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _read(file: Path) -> tuple[ApiKey, ...]:
    try:
        with file.open("rb") as opened:
            said = opened.read(_MAX_BYTES + 1)
        if len(said) > _MAX_BYTES:
            raise _make_error(f"{file} is larger than {_MAX_BYTES} bytes")
        return _KeysFile.model_validate(tomllib.loads(said.decode())).api_keys
    except OSError as error:
        raise _make_error(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise _make_error(f"{file}: {_problem_in(error)}") from None
    except (ValueError, RecursionError):
        raise _make_error(f"{file} is not TOML") from None


def _problem_in(error: ValidationError) -> str:
    """The first problem, without what was written there, which may be a key."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def _make_error(problem: str) -> ComponentError:
    return ComponentError(
        f"the keys of {_SETTING} cannot be used",
        evidence=[problem],
        remedy='write TOML tables [[api_keys]] with name = "…" and key = "…", as in the settings',
    )
