"""Logins of people with a browser: begun once at a time, and ended by the browser that began."""

import secrets
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from arc_core import CredentialError, Login, LoginRefused, Owner
from arc_plugins.credentials.keeping.records import (
    BegunLogin,
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
)
from arc_plugins.credentials.keeping.token_endpoint import GrantRefusedError, TokenEndpoint
from arc_plugins.credentials.settings import ServiceSettings

_OVER = LoginRefused(
    reason="This login is over, or was not begun in this browser. Open its link again."
)
_CLOSED = LoginRefused(reason="Nothing waits for this login: it has been made, or is unknown.")
_DECLINED = LoginRefused(reason="The service has not allowed it. Open the link again to retry.")
_OTHER_ISSUER = LoginRefused(reason="The answer comes from another service, and was not taken.")


class Logins:
    """Leads people to services and back.

    Args:
        store: Keeps them.
        services: Those of the settings by their names.
        endpoints: One for each service that has logins.
        state_s: How long one that was begun may take.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        store: CredentialStore,
        *,
        services: Mapping[str, ServiceSettings],
        endpoints: Mapping[str, TokenEndpoint],
        state_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._services, self._endpoints = store, services, endpoints
        self._state_s, self._clock = state_s, clock

    async def open(self, owner: Owner, service: str) -> tuple[str, Login]:
        """Return the id of the login of an owner, and the login."""
        scopes = self._services[service].scopes
        login = Login(owner=owner, service=service, scopes=scopes)
        return await self._store.open_login(login), login

    async def find(self, login_id: str) -> Login | LoginRefused:
        """Return the login that is asked for under an id."""
        found = await self._store.find_login(login_id)
        return found if found is not None and found.service in self._endpoints else _CLOSED

    async def begin(self, login_id: str, *, browser: str) -> str | LoginRefused:
        """Return the service's address, with a state that this browser alone can end."""
        login = await self.find(login_id)
        if isinstance(login, LoginRefused):
            return login
        now = self._clock()
        begun = BegunLogin(
            state=secrets.token_urlsafe(32),
            browser=browser,
            login=login,
            verifier=secrets.token_urlsafe(48),
            expires_at=now + self._state_s,
        )
        await self._store.keep_begun(begun, now=now)
        return self._endpoints[login.service].login_address(begun.state, begun.verifier)

    async def complete(
        self, answer: Mapping[str, str], *, browser: str | None
    ) -> Login | LoginRefused:
        """Take the answer to what this browser has begun, once."""
        state, code = answer.get("state") or "", answer.get("code")
        begun = await self._store.find_begun(state, browser=browser or "", now=self._clock())
        if begun is None or begun.login.service not in self._endpoints:
            return _OVER
        if not self._is_issuer(begun.login.service, answer.get("iss")):
            return _OTHER_ISSUER
        if not await self._store.take_begun(state):
            return _OVER
        if not code or "error" in answer:
            return _DECLINED
        return await self._keep(begun, code)

    async def _keep(self, begun: BegunLogin, code: str) -> Login | LoginRefused:
        login = begun.login
        try:
            credential = await self._endpoints[login.service].exchange(code, begun.verifier)
        except GrantRefusedError:
            return _DECLINED
        except CredentialError as error:
            return LoginRefused(reason=f"The login did not succeed: {error.problem}.")
        place = CredentialPlace(login.owner, login.service)
        await self._store.write(place, CredentialRecord(credential=credential))
        await self._store.close_login(place)
        return login

    def _is_issuer(self, service: str, issuer: str | None) -> bool:
        """Return whether an answer comes from the service that was asked, if it says so.

        A service whose issuer is set must say it. Of another one, it has to be of the origin at
        which the person logged in.
        """
        settings = self._services[service]
        if settings.issuer is not None:
            return issuer is not None and secrets.compare_digest(
                issuer.encode(), settings.issuer.encode()
            )
        return issuer is None or _origin(issuer) == _origin(settings.authorize_url or "")


def _origin(address: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.scheme, parts.netloc.lower()
