"""Keeps credentials in this process, for tests: gone when it ends, and not encrypted."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from arc_core import KeptCredential, Login, Owner, ServiceSource
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.settings import ServerAddressSettings
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.keeping.records import (
    APPLICATION,
    BegunLogin,
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
    join_scopes,
    kept_credential,
)
from arc_plugins.credentials.settings import CredentialsSettings, ServicesSettings


class InMemoryCredentialStore(CredentialStore):
    """Dictionaries; no method waits, so that each is one step."""

    def __init__(self) -> None:
        self._records: dict[CredentialPlace, CredentialRecord] = {}
        self._versions = count(1)
        self._claims: dict[CredentialPlace, tuple[int, float]] = {}
        self._logins: dict[str, Login] = {}
        self._begun: dict[str, BegunLogin] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._records)} credentials)"

    async def start(self) -> None:
        """Nothing is to be opened."""

    async def aclose(self) -> None:
        """Nothing is to be closed."""

    async def read(self, place: CredentialPlace) -> CredentialRecord | None:
        """Return a record."""
        return self._records.get(place)

    async def write(self, place: CredentialPlace, record: CredentialRecord) -> None:
        """Keep a record."""
        self._records[place] = replace(record, version=next(self._versions))

    async def create(self, place: CredentialPlace, record: CredentialRecord) -> bool:
        """Keep a record if there is none."""
        if place in self._records:
            return False
        await self.write(place, record)
        return True

    async def replace(
        self, place: CredentialPlace, record: CredentialRecord | None, *, seen: int
    ) -> bool:
        """Keep a record, or none, in the place of one of this version."""
        found = self._records.get(place)
        if found is None or found.version != seen:
            return False
        if record is None:
            del self._records[place]
        else:
            await self.write(place, record)
        return True

    async def remove(self, owner: Owner, service: str | None) -> int:
        """Forget the records of an owner."""
        gone = [each for each in self._records if each.owner == owner]
        gone = [each for each in gone if service is None or each.service == service]
        for place in gone:
            del self._records[place]
        return len(gone)

    async def remove_unopened(self, owner: Owner | None, service: str | None) -> int:
        """Forget the same: nothing is encrypted, and so there is nothing that no key opens."""
        return 0 if owner is None else await self.remove(owner, service)

    async def claim(self, place: CredentialPlace, *, seen: int, now: float, until: float) -> bool:
        """Claim what has this version, unless another claim lasts."""
        version, lasts_until = self._claims.get(place, (0, 0.0))
        if version == seen and lasts_until > now:
            return False
        self._claims[place] = seen, until
        return True

    async def release(self, place: CredentialPlace, *, seen: int) -> None:
        """End a claim."""
        if self._claims.get(place, (0, 0.0))[0] == seen:
            del self._claims[place]

    async def open_login(self, login: Login) -> str:
        """The id of the login that is open, or of a new one."""
        for login_id, each in self._logins.items():
            if _place_of(each) == _place_of(login):
                scopes = join_scopes(each.scopes, login.scopes)
                self._logins[login_id] = replace(each, scopes=scopes)
                return login_id
        login_id = secrets.token_urlsafe(32)
        self._logins[login_id] = login
        return login_id

    async def find_login(self, login_id: str) -> Login | None:
        """Return the login of an id."""
        return self._logins.get(login_id)

    async def close_login(
        self, place: CredentialPlace, *, scopes: Sequence[str] | None = None
    ) -> None:
        """Forget the login of a place that has a credential, and what was begun of it."""
        over = [
            login_id
            for login_id, each in self._logins.items()
            if _place_of(each) == place and (scopes is None or each.scopes == tuple(scopes))
        ]
        if over and place in self._records:
            del self._logins[over[0]]
            await self.forget_begun(place)

    async def forget_begun(self, place: CredentialPlace) -> None:
        """Forget what was begun of the login of a place."""
        begun = self._begun.items()
        self._begun = {state: each for state, each in begun if _place_of(each.login) != place}

    async def keep_begun(self, begun: BegunLogin, *, now: float) -> None:
        """Keep it by its state."""
        self._begun = {state: each for state, each in self._begun.items() if each.expires_at > now}
        self._begun[begun.state] = begun

    async def find_begun(self, state: str, *, browser: str, now: float) -> BegunLogin | None:
        """Return what this browser has begun."""
        found = self._begun.get(state)
        if found is None or found.expires_at <= now:
            return None
        return found if secrets.compare_digest(found.browser.encode(), browser.encode()) else None

    async def take_begun(self, state: str) -> bool:
        """Forget it."""
        return self._begun.pop(state, None) is not None

    async def list_kept(self) -> Sequence[KeptCredential]:
        """All credentials without their secrets."""
        return [
            kept_credential(place, each.credential)
            for place, each in self._records.items()
            if place.owner != APPLICATION
        ]

    async def rotate(self) -> int:
        """Nothing is encrypted."""
        return 0


def _place_of(login: Login) -> CredentialPlace:
    return CredentialPlace(login.owner, login.service)


class InMemoryCredentials(KeptCredentials):
    """Credentials that are gone with the process."""

    def __init__(
        self,
        *,
        settings: CredentialsSettings,
        services: ServicesSettings,
        server: ServerAddressSettings,
        sources: Sequence[ServiceSource] = (),
    ) -> None:
        store = InMemoryCredentialStore()
        super().__init__(
            store, settings=settings, services=services, server=server, sources=sources
        )

    async def check_health(self) -> Health:
        """They are gone with the process, and other processes do not have them."""
        return Health(
            status=HealthStatus.WARNING,
            summary="credentials are in memory, and gone with the process",
            remedy='set credentials.backend = "sql"',
        )
