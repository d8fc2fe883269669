"""Credentials that are kept, renewed once for all who ask, and had by logging in.

Pick `sql` for everything but tests: it encrypts them, and several processes share them.
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from arc_core import (
    CompletesLogins,
    Credential,
    CredentialError,
    Credentials,
    KeptCredential,
    ListsCredentials,
    Login,
    LoginNeeded,
    LoginRefused,
    Owner,
    ServiceSource,
    identity_of,
    tenant_of,
)
from arc_core.settings import ServerAddressSettings
from arc_plugins.credentials.keeping.logins import Logins
from arc_plugins.credentials.keeping.records import (
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
    join_scopes,
)
from arc_plugins.credentials.keeping.services import CLAIM_S, Services
from arc_plugins.credentials.keeping.token_endpoint import (
    GrantRefusedError,
    TokenEndpoint,
    is_client_refused,
)
from arc_plugins.credentials.settings import CredentialsSettings, ServiceSettings, ServicesSettings

_RENEWED_EARLY_S = 60
_FIRST_LOOK_S = 0.02
_LONGEST_LOOK_S = 0.5
_ANONYMOUS = identity_of(None)

Reply = Credential | LoginNeeded


class KeptCredentials(Credentials, CompletesLogins, ListsCredentials):
    """Finds a credential by owner and service, renews it, and asks for a login if it is gone."""

    def __init__(
        self,
        store: CredentialStore,
        *,
        settings: CredentialsSettings,
        services: ServicesSettings,
        server: ServerAddressSettings,
        sources: Sequence[ServiceSource] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._settings, self._clock = store, services.by_name, clock
        self._base_url = base_url = f"{server.base_url}oauth/"
        is_public = (server.public_url or "").startswith("https://")
        self._services = Services(
            store,
            self._settings,
            sources=sources,
            redirect_url=f"{base_url}callback",
            document_url=f"{base_url}client.json" if is_public else None,
            clock=clock,
        )
        self._logins = Logins(store, services=self._services, state_s=settings.state_s, clock=clock)
        self._renewals: dict[tuple[CredentialPlace, int], asyncio.Task[Reply]] = {}

    async def start(self) -> None:
        """Open the store."""
        await self._store.start()

    async def aclose(self) -> None:
        """Cancel what is renewed, and close the connections."""
        renewals = tuple(self._renewals.values())
        for task in renewals:
            task.cancel()
        if renewals:
            await asyncio.wait(renewals)
        await self._services.aclose()
        await self._store.aclose()

    async def get(
        self,
        owner: Owner,
        service: str,
        *,
        rejected: Credential | None = None,
        scopes: Sequence[str] = (),
    ) -> Reply:
        """The credential of an owner, renewed if it ends soon or was refused."""
        settings = self._settings.get(service)
        if settings is not None and settings.token is not None:
            return _static_credential(service, settings, rejected)
        place = CredentialPlace(self._check_owner(owner, service), service)
        record = await self._store.read(place)
        if record is None:
            return await self._need_login(place, scopes)
        is_rejected = rejected is not None and rejected.token == record.credential.token
        if is_rejected and scopes:
            return await self._need_more(place, record, scopes)
        if not is_rejected and self._left_s(record.credential) > _RENEWED_EARLY_S:
            return record.credential
        return await self._renew_once(place, record, is_rejected=is_rejected)

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep a credential, after which no login of its owner waits."""
        place = CredentialPlace(self._check_owner(owner, service), service)
        await self._store.write(place, CredentialRecord(credential=credential))
        await self._store.close_login(place)

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """Forget the credentials of an owner."""
        return await self._store.remove(_normalize(owner), service)

    async def remove_unopened(self, owner: Owner | None, service: str | None = None) -> int:
        """Forget the credentials of an owner, or all that no key opens; not started."""
        known = None if owner is None else _normalize(owner)
        return await self._store.remove_unopened(known, service)

    async def list_kept(self) -> Sequence[KeptCredential]:
        """All credentials without their secrets."""
        return sorted(
            await self._store.list_kept(),
            key=lambda kept: (kept.owner.tenant_id or "", kept.owner.user_id, kept.service),
        )

    async def rotate(self) -> int:
        """Encrypt with the first key whatever is encrypted with another one."""
        return await self._store.rotate()

    async def find_login(self, login_id: str) -> Login | LoginRefused:
        """Return the login that is asked for under an id."""
        return await self._logins.find(login_id)

    async def begin_login(self, login_id: str, *, browser: str) -> str | LoginRefused:
        """Return the service's address at which the person logs in."""
        return await self._logins.begin(login_id, browser=browser)

    async def complete_login(
        self, answer: Mapping[str, str], *, browser: str | None
    ) -> Login | LoginRefused:
        """Take what the service has sent back by the browser, and keep the credential."""
        return await self._logins.complete(answer, browser=browser)

    async def close_login(self, login: Login) -> None:
        """Forget a login that was made, once the runs that wait for it go on."""
        place = CredentialPlace(login.owner, login.service)
        await self._store.close_login(place, scopes=login.scopes)

    def _check_owner(self, owner: Owner, service: str) -> Owner:
        """The owner of a credential of this service; a tenant's has a blank user."""
        settings, tenant_id = self._settings.get(service), tenant_of(owner.tenant_id)
        if settings is not None and settings.mode == "tenant":
            if tenant_id is None:
                problem = "it belongs to tenants, and the run has none; name the run's tenant"
                raise CredentialError(problem, service=service)
            return Owner(user_id="", tenant_id=tenant_id)
        user_id = identity_of(owner.user_id)
        if user_id == _ANONYMOUS:
            raise CredentialError(
                "a run without a user cannot act for one: `anonymous` never owns a credential; "
                "name the user, or use a key that is for one",
                service=service,
            )
        return Owner(user_id=user_id, tenant_id=tenant_id)

    def _left_s(self, credential: Credential) -> float:
        ends = credential.expires_at
        return float("inf") if ends is None else ends.timestamp() - self._clock()

    async def _need_more(
        self, place: CredentialPlace, record: CredentialRecord, scopes: Sequence[str]
    ) -> LoginNeeded:
        """Ask for a login with more scopes; what there is stays until then, as it is good for some.

        Raises:
            CredentialError: A login has asked for all of them, and they were not given.
        """
        if set(scopes) <= set(record.asked):
            raise CredentialError(
                "it wants scopes that were asked for and not given with the login; log in as a "
                "user who may give them",
                service=place.service,
            )
        return await self._need_login(
            place, join_scopes(record.asked, record.credential.scopes, scopes)
        )

    async def _need_login(
        self, place: CredentialPlace, scopes: Sequence[str] = (), *, anew: bool = False
    ) -> LoginNeeded:
        endpoint = await self._services.find(place.service, anew=anew)
        if endpoint is None:
            problem = f"the settings do not have it; add [services.{place.service}]"
            raise CredentialError(problem, service=place.service)
        wanted = join_scopes(endpoint.service.scopes, scopes)
        login = Login(owner=place.owner, service=place.service, scopes=wanted)
        login_id = await self._store.open_login(login)
        return LoginNeeded(
            service=place.service, url=f"{self._base_url}login/{login_id}", scopes=wanted
        )

    async def _renew_once(
        self, place: CredentialPlace, record: CredentialRecord, *, is_rejected: bool
    ) -> Reply:
        """Renew a credential for all of this process who ask; one of them may be cancelled."""
        key = place, record.version
        task = self._renewals.get(key)
        if task is None:
            task = asyncio.create_task(self._renew(place, record, is_rejected=is_rejected))
            self._renewals[key] = task
            task.add_done_callback(lambda _: self._forget_renewal(key))
        return await asyncio.shield(task)

    def _forget_renewal(self, key: tuple[CredentialPlace, int]) -> None:
        task = self._renewals.pop(key)
        if not task.cancelled():
            task.exception()  # all who asked may have been cancelled

    async def _renew(
        self, place: CredentialPlace, record: CredentialRecord, *, is_rejected: bool
    ) -> Reply:
        """Renew what can be renewed; of what came for a refused token, nothing more is tried."""
        credential, is_over = record.credential, is_rejected or self._has_ended(record)
        if credential.refresh_token is None:
            return await self._end(place, record) if is_over else credential
        if is_rejected and record.is_replacement:
            return await self._end(place, record)
        if await self._claim(place, record):
            return await self._ask_for_new(place, record, is_rejected=is_rejected)
        return await self._find_or_need_login(place)

    def _has_ended(self, record: CredentialRecord) -> bool:
        return self._left_s(record.credential) <= 0

    async def _claim(self, place: CredentialPlace, record: CredentialRecord) -> bool:
        """Claim the renewal; false once another process has renewed."""
        look_s = _FIRST_LOOK_S
        while True:
            now, seen = self._clock(), record.version
            if await self._store.claim(place, seen=seen, now=now, until=now + CLAIM_S):
                return True
            found = await self._store.read(place)
            if found is None or found.version != seen:
                return False
            await asyncio.sleep(look_s * random.uniform(0.5, 1))  # noqa: S311 -- no secret
            look_s = min(2 * look_s, _LONGEST_LOOK_S)

    async def _ask_for_new(
        self, place: CredentialPlace, record: CredentialRecord, *, is_rejected: bool
    ) -> Reply:
        endpoint: TokenEndpoint | None = None
        try:
            endpoint = await self._services.find(place.service)
            if endpoint is None or not _is_from(endpoint, record):
                return await self._end_or_keep(place, record, is_rejected=is_rejected)
            renewed = await endpoint.renew(record.credential)
        except GrantRefusedError:
            return await self._end(place, record)
        except CredentialError as error:
            await self._store.release(place, seen=record.version)
            if endpoint is not None and is_client_refused(error):
                await self._services.forget_client(endpoint.service)
            if not is_rejected and not self._has_ended(record):
                return record.credential
            raise
        kept = replace(record, credential=renewed, is_replacement=is_rejected)
        if await self._store.replace(place, kept, seen=record.version):
            return renewed
        return await self._find_or_need_login(place)  # what was put meanwhile counts more

    async def _end_or_keep(
        self, place: CredentialPlace, record: CredentialRecord, *, is_rejected: bool
    ) -> Reply:
        """Forget a credential that nothing can renew, once it is of no use."""
        if is_rejected or self._has_ended(record):
            return await self._end(place, record)
        await self._store.release(place, seen=record.version)
        return record.credential

    async def _end(self, place: CredentialPlace, record: CredentialRecord) -> Reply:
        """Forget a credential that is of no use, unless there is another one by now."""
        if await self._store.replace(place, None, seen=record.version):
            return await self._need_login(place, anew=True)
        return await self._find_or_need_login(place)

    async def _find_or_need_login(self, place: CredentialPlace) -> Reply:
        found = await self._store.read(place)
        return await self._need_login(place) if found is None else found.credential


def _normalize(owner: Owner) -> Owner:
    return Owner(user_id=owner.user_id.strip(), tenant_id=tenant_of(owner.tenant_id))


def _is_from(endpoint: TokenEndpoint, record: CredentialRecord) -> bool:
    """Return whether a refresh token was given by the server that would be asked."""
    return not record.issuer or record.issuer == endpoint.service.issuer


def _static_credential(
    service: str, settings: ServiceSettings, rejected: Credential | None
) -> Credential:
    assert settings.token is not None
    if rejected is not None and rejected.token == settings.token:
        problem = (
            f"the service refuses the token of the application; renew services.{service}.token"
        )
        raise CredentialError(problem, service=service)
    return Credential(token=settings.token, scopes=settings.scopes)
