"""The records of credentials and logins, and the store that keeps them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from arc_core import Credential, KeptCredential, Login, Owner


class CredentialPlace(NamedTuple):
    """The place of one credential."""

    owner: Owner
    service: str

    @property
    def text(self) -> bytes:
        """Tenant, user and service, of which no two places have the same."""
        parts = (self.owner.tenant_id, self.owner.user_id, self.service)
        return json.dumps(parts).encode()

    @property
    def hash(self) -> str:
        """A hash of the text, 64 characters long."""
        return hashlib.sha256(self.text).hexdigest()


APPLICATION = Owner(user_id="")
"""The owner of what is kept of services and belongs to no person: a tenant's has a tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRecord:
    """A credential as it is kept.

    Attributes:
        credential: With its secrets.
        version: Another number after each change.
        is_replacement: Whether it came in the place of one that the service had refused.
        issuer: Of the authorization server that gave it; empty if that is not known.
        asked: The scopes that the login asked for.
    """

    credential: Credential
    version: int = 0
    is_replacement: bool = False
    issuer: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunLogin:
    """A login between the service's page and the callback.

    Attributes:
        state: Names it, and comes back with the callback.
        browser: The secret of the browser that began it.
        login: Its owner and its service.
        verifier: Proves to the service that the code comes back from where it was asked for.
        expires_at: In seconds since 1970.
        issuer: Of the authorization server to which the person was led; empty if it is not known.
    """

    state: str = field(repr=False)
    browser: str = field(repr=False)
    login: Login
    verifier: str = field(repr=False)
    expires_at: float
    issuer: str = ""


class CredentialStore(Protocol):
    """Keeps records of credentials and logins; what it is asked for, it finds by all of a place."""

    async def start(self) -> None:
        """Open it."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...

    async def read(self, place: CredentialPlace) -> CredentialRecord | None:
        """Return a record; None if there is none."""
        ...

    async def write(self, place: CredentialPlace, record: CredentialRecord) -> None:
        """Keep a record in the place of any other one, with a new version."""
        ...

    async def create(self, place: CredentialPlace, record: CredentialRecord) -> bool:
        """Keep a record if there is none; true to one alone."""
        ...

    async def replace(
        self, place: CredentialPlace, record: CredentialRecord | None, *, seen: int
    ) -> bool:
        """Keep a record, or none, in the place of one that still has the version that was seen."""
        ...

    async def remove(self, owner: Owner, service: str | None) -> int:
        """Forget the records of an owner, and return how many there were."""
        ...

    async def remove_unopened(self, owner: Owner | None, service: str | None) -> int:
        """Forget the same before the store is open; None forgets all that no key opens."""
        ...

    async def claim(self, place: CredentialPlace, *, seen: int, now: float, until: float) -> bool:
        """Return true to one alone, who may renew what has this version, until that time."""
        ...

    async def release(self, place: CredentialPlace, *, seen: int) -> None:
        """Let others renew it."""
        ...

    async def open_login(self, login: Login) -> str:
        """Return the id of the login of a place, the same until it is closed.

        It asks for the scopes of all who have opened it.
        """
        ...

    async def find_login(self, login_id: str) -> Login | None:
        """Return the login of an id; None if it is closed."""
        ...

    async def close_login(
        self, place: CredentialPlace, *, scopes: Sequence[str] | None = None
    ) -> None:
        """Forget the login of a place that has a credential; with other scopes by now, it stays."""
        ...

    async def forget_begun(self, place: CredentialPlace) -> None:
        """Forget whatever any browser has begun of the login of a place."""
        ...

    async def keep_begun(self, begun: BegunLogin, *, now: float) -> None:
        """Keep a login that was begun, and forget those that have expired."""
        ...

    async def find_begun(self, state: str, *, browser: str, now: float) -> BegunLogin | None:
        """Return what this browser has begun and not ended; None if there is nothing."""
        ...

    async def take_begun(self, state: str) -> bool:
        """Return true to one alone, who may end what was begun."""
        ...

    async def list_kept(self) -> Sequence[KeptCredential]:
        """All credentials without their secrets, in any order."""
        ...

    async def rotate(self) -> int:
        """Encrypt with the first key whatever is encrypted with another one."""
        ...


def join_scopes(*scopes: Sequence[str]) -> tuple[str, ...]:
    """Return all of some scopes, each once, in their order."""
    return tuple(dict.fromkeys(each for group in scopes for each in group))


def kept_credential(place: CredentialPlace, credential: Credential) -> KeptCredential:
    """Return an entry of a list."""
    return KeptCredential(
        owner=place.owner,
        service=place.service,
        expires_at=credential.expires_at,
        scopes=credential.scopes,
        can_renew=credential.refresh_token is not None,
    )
