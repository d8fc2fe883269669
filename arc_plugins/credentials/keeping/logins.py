"""Logins of people with a browser: begun once at a time, and ended by the browser that began."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from arc_core import CredentialError, Login, LoginRefused
from arc_plugins.credentials.keeping.records import (
    BegunLogin,
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
)
from arc_plugins.credentials.keeping.services import Services
from arc_plugins.credentials.keeping.token_endpoint import (
    GrantRefusedError,
    TokenEndpoint,
    is_client_refused,
)

_OVER = LoginRefused(
    reason="This login is over, or was not begun in this browser. Open its link again."
)
_CLOSED = LoginRefused(reason="Nothing waits for this login: it has been made, or is unknown.")
_DECLINED = LoginRefused(reason="The service has not allowed it. Open the link again to retry.")
_OTHER_ISSUER = LoginRefused(reason="The answer comes from another service, and was not taken.")


class Logins:
    """Leads people to services and back; a login that was begun may take `state_s`."""

    def __init__(
        self,
        store: CredentialStore,
        *,
        services: Services,
        state_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._services = store, services
        self._state_s, self._clock = state_s, clock

    async def find(self, login_id: str) -> Login | LoginRefused:
        """Return the login that is asked for under an id."""
        found = await self._store.find_login(login_id)
        has_login = found is not None and self._services.has_login(found.service)
        return found if found is not None and has_login else _CLOSED

    async def begin(self, login_id: str, *, browser: str) -> str | LoginRefused:
        """Return the service's address, with a state that this browser alone can end."""
        login = await self.find(login_id)
        if isinstance(login, LoginRefused):
            return login
        endpoint = await self._find_endpoint(login.service)
        if isinstance(endpoint, LoginRefused):
            return endpoint
        now = self._clock()
        begun = BegunLogin(
            state=secrets.token_urlsafe(32),
            browser=browser,
            login=login,
            verifier=secrets.token_urlsafe(48),
            expires_at=now + self._state_s,
            issuer=endpoint.service.issuer or "",
        )
        await self._store.keep_begun(begun, now=now)
        return endpoint.login_address(begun.state, begun.verifier, login.scopes)

    async def complete(
        self, answer: Mapping[str, str], *, browser: str | None
    ) -> Login | LoginRefused:
        """Take the answer to what this browser has begun, once."""
        state, code = answer.get("state") or "", answer.get("code")
        begun = await self._store.find_begun(state, browser=browser or "", now=self._clock())
        if begun is None:
            return _OVER
        endpoint = await self._find_endpoint(begun.login.service)
        if isinstance(endpoint, LoginRefused):
            return endpoint
        if not _is_issuer(begun, endpoint, answer.get("iss")):
            return _OTHER_ISSUER
        if not await self._store.take_begun(state):
            return _OVER
        is_allowed = code and "error" not in answer
        return await self._keep(begun, endpoint, code or "") if is_allowed else _DECLINED

    async def _find_endpoint(self, service: str) -> TokenEndpoint | LoginRefused:
        try:
            return await self._services.find(service) or _CLOSED
        except CredentialError as error:
            return LoginRefused(reason=f"The login is not possible now: {error.problem}.")

    async def _keep(
        self, begun: BegunLogin, endpoint: TokenEndpoint, code: str
    ) -> Login | LoginRefused:
        login = begun.login
        try:
            credential = await endpoint.exchange(code, begun.verifier)
        except GrantRefusedError:
            return _DECLINED
        except CredentialError as error:
            if is_client_refused(error):
                await self._services.forget_client(endpoint.service)
            return LoginRefused(reason=f"The login did not succeed: {error.problem}.")
        place = CredentialPlace(login.owner, login.service)
        if not credential.scopes:  # then they are those that were asked for
            credential = replace(credential, scopes=login.scopes)
        kept = CredentialRecord(credential=credential, issuer=begun.issuer, asked=login.scopes)
        await self._store.write(place, kept)
        await self._store.forget_begun(place)
        return login


def _is_issuer(begun: BegunLogin, endpoint: TokenEndpoint, issuer: str | None) -> bool:
    """Return whether an answer comes from the server that was asked, if it says so.

    One that promises to say it must. One whose issuer is not known has to be of the origin at which
    the person logged in.
    """
    service = endpoint.service
    if (service.issuer or "") != begun.issuer:
        return False
    if issuer is None:
        return not service.promises_issuer
    if service.issuer is not None:
        return secrets.compare_digest(issuer.encode(), service.issuer.encode())
    return _origin(issuer) == _origin(service.authorize_url)


def _origin(address: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.scheme, parts.netloc.lower()
